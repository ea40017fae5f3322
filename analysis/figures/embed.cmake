# Builds the files of a report's page into hearsay_analysis (page_files.hpp): those of this folder, and the scripts that draw
# figures with their notices, if npm has installed these (script/bootstrap).
set(figures ${CMAKE_CURRENT_SOURCE_DIR}/analysis/figures)
set(HEARSAY_NODE_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/build/npm/node_modules)
set(installed vega/build/vega.min.js vega-lite/build/vega-lite.min.js vega-embed/build/vega-embed.min.js
  gifenc/dist/gifenc.js)
set(d3_files "")  # in the order in which they need each other
foreach(part quadtree dispatch timer force)
  list(APPEND d3_files d3-${part}/dist/d3-${part}.min.js)
endforeach()
set(HEARSAY_FIGURES ON)
foreach(file ${installed} ${d3_files})
  if(NOT EXISTS ${HEARSAY_NODE_MODULES}/${file})
    set(HEARSAY_FIGURES OFF)
  endif()
endforeach()

# hearsay_embed(folder name...): appends C++ that has the bytes of the folder's files, and their rows of the table by name.
set(bytes "")
set(rows "")
set(embedded_files "")
macro(hearsay_embed folder)
  foreach(name ${ARGN})
    list(LENGTH embedded_files number)
    string(APPEND bytes "
asm(\".pushsection .rodata\\n\"
    \"hearsay_file_${number}:\\n.incbin \\\"${folder}/${name}\\\"\\nhearsay_end_${number}:\\n.byte 0\\n.popsection\\n\");
extern \"C\" const char hearsay_file_${number}[], hearsay_end_${number}[];
")
    string(APPEND rows "\n      {\"${name}\", {hearsay_file_${number}, hearsay_end_${number}}},")
    list(APPEND embedded_files ${folder}/${name})
  endforeach()
endmacro()

file(GLOB own CONFIGURE_DEPENDS RELATIVE ${figures} ${figures}/*.html ${figures}/*.css ${figures}/*.js
  ${figures}/player/*.html ${figures}/player/*.js ${figures}/templates/*.json)
hearsay_embed(${figures} ${own})
hearsay_embed(${CMAKE_CURRENT_SOURCE_DIR}/package copyright)
if(HEARSAY_FIGURES)
  hearsay_embed(${HEARSAY_NODE_MODULES} ${installed})
  # One script, which leaves its names in the global object wherever it runs.
  set(d3 "(function (exports, module, define) {\n")
  foreach(file ${d3_files})
    file(READ ${HEARSAY_NODE_MODULES}/${file} text)
    string(APPEND d3 "${text}")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/generated/analysis/d3.js "${d3}})();\n")
  hearsay_embed(${CMAKE_BINARY_DIR}/generated/analysis d3.js)
elseif(HEARSAY_NEED_FIGURES)
  message(FATAL_ERROR "${HEARSAY_NODE_MODULES} lacks scripts that draw figures (run script/bootstrap)")
else()
  message(STATUS "no ${HEARSAY_NODE_MODULES}: hearsay cannot draw figures (run script/bootstrap)")
  foreach(name ${installed} d3.js)
    string(APPEND rows "\n      {\"${name}\", {}},")
  endforeach()
endif()
set(source ${CMAKE_BINARY_DIR}/generated/analysis/page_files.cpp)
file(CONFIGURE OUTPUT ${source} CONTENT "#include \"analysis/figures/page_files.hpp\"
${bytes}
const std::map<std::string_view, std::string_view>& hearsay::analysis::page_files() {
  static const std::map<std::string_view, std::string_view> kAll{${rows}
  };
  return kAll;
}
" @ONLY)
# Alone, because a unity build forgets what its members depend on.
set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${embedded_files}" SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(hearsay_analysis PRIVATE ${source})
