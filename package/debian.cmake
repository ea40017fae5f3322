# The Debian packages: hearsay and hearsay-dev.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hearsay)
set(CPACK_PACKAGE_CONTACT "The hearsay authors <maintainers@hearsay.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of networks whose agents learn from private data")

if(HEARSAY_ARCH STREQUAL "x86-64-v3")
  set(processors "This package needs a processor with AVX2, FMA and BMI2 (x86-64-v3):
Intel's since 2013, AMD's since 2015. hearsay can be built for others.")
else()
  set(processors "This package is compiled with -march=${HEARSAY_ARCH}.")
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME hearsay)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
if(TARGET hearsay_python)  # the module is for one version of Python
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next})")
else()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "python3:any")
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-pandas, python3-matplotlib, nodejs, librsvg2-bin")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "bash-completion, python3-networkx, hearsay-dev")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "hearsay is a discrete-event simulator of asynchronous networks whose agents
learn from private data. It reports how much utility privacy and the
network cost. Runs are reproducible bit for bit.

${processors}

The Python package hearsay needs python3-pandas and python3-matplotlib.
Figures as files need nodejs, and librsvg2-bin for PNG and PDF.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/postinst;${CMAKE_CURRENT_LIST_DIR}/prerm")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME hearsay-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "hearsay (= ${PROJECT_VERSION}), libboost-graph-dev, libboost-random-dev, \
libboost-program-options-dev, libcereal-dev, libeigen3-dev, nlohmann-json3-dev, libfmt-dev, libxxhash-dev, libcsv-dev, \
libsqlite3-dev, libssl-dev, libmuparser-dev")
if(TARGET Boost::mpi)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libboost-mpi-dev, libopenmpi-dev")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers, static libraries and a CMake package of hearsay, for programs that
add protocols to it.")
include(CPack)
