# What `cmake --install` installs, in two components that script/package makes Debian packages of.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

# --- program: the program, its documentation, scenarios to run, the Python package ---
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS hearsay)
# Where Debian's Python looks for the packages of a prefix /usr.
if(TARGET hearsay_python)
  install(TARGETS hearsay_python LIBRARY DESTINATION ${HEARSAY_PYTHON_DIR}/hearsay)
endif()
install(DIRECTORY analysis/python/hearsay DESTINATION ${HEARSAY_PYTHON_DIR} FILES_MATCHING PATTERN "*.py")

# A scenario can extend others below the folder of scenario.schema.json.
foreach(folder examples papers presets studies)
  install(DIRECTORY scenarios/${folder} DESTINATION share/hearsay/scenarios FILES_MATCHING
    PATTERN "*.json" PATTERN "*.md" PATTERN "*.edges" PATTERN "*.csv")
endforeach()
install(FILES scenarios/quickstart.json scenarios/quickstart.md scenarios/scenario.schema.json DESTINATION share/hearsay/scenarios)

# The documents lie to each other as in this tree, so that their links lead somewhere.
set(doc share/doc/hearsay)
install(FILES README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE Containerfile DESTINATION ${doc})
install(FILES models/README.md DESTINATION ${doc}/models)
install(DIRECTORY docs DESTINATION ${doc})
install(FILES package/copyright DESTINATION ${doc})

# Written by the program as it is installed.
set(HEARSAY_PROGRAM ${CMAKE_BINARY_DIR}/hearsay)
string(CONFIGURE [[
function(hearsay_write arguments file)
  execute_process(COMMAND "@HEARSAY_PROGRAM@" help ${arguments} OUTPUT_FILE "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
file(MAKE_DIRECTORY "${share}/man/man1" "${share}/bash-completion/completions")
hearsay_write(--completion "${share}/bash-completion/completions/hearsay")
hearsay_write(--man "${share}/man/man1/hearsay.1")
configure_file("@CMAKE_CURRENT_SOURCE_DIR@/package/changelog" "${share}/doc/hearsay/changelog" COPYONLY)
execute_process(COMMAND gzip -9nf "${share}/man/man1/hearsay.1" "${share}/doc/hearsay/changelog"
  COMMAND_ERROR_IS_FATAL ANY)
file(CREATE_LINK ../../hearsay/scenarios "${share}/doc/hearsay/scenarios" SYMBOLIC)
]] write_files @ONLY)
install(CODE "${write_files}")

# --- development: for protocols that live outside this tree, find_package(hearsay), link hearsay::scenarios ---
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(HEARSAY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/hearsay)
foreach(layer sim models analysis scenarios)
  set_target_properties(hearsay_${layer} PROPERTIES EXPORT_NAME ${layer})
  install(DIRECTORY ${layer} DESTINATION include/hearsay FILES_MATCHING PATTERN "*.hpp")
endforeach()
set_target_properties(hearsay_options PROPERTIES EXPORT_NAME options)
install(TARGETS hearsay_options hearsay_sim hearsay_models hearsay_analysis hearsay_scenarios
  EXPORT hearsay ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT hearsay NAMESPACE hearsay:: FILE hearsay-targets.cmake DESTINATION ${HEARSAY_PACKAGE_DIR})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/hearsay-config.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.74 COMPONENTS graph random program_options @HEARSAY_MPI_COMPONENTS@)
find_dependency(Eigen3 3.4)
find_dependency(nlohmann_json 3.11)
find_dependency(fmt 9)
find_dependency(cereal 1.3)
find_dependency(Threads)
find_dependency(SQLite3)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(muparser)
include(${CMAKE_CURRENT_LIST_DIR}/hearsay-targets.cmake)
]])
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hearsay-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hearsay-config.cmake ${CMAKE_BINARY_DIR}/hearsay-config-version.cmake
  DESTINATION ${HEARSAY_PACKAGE_DIR})

include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
