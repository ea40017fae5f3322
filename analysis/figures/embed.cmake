# Builds the files of a report's page into hearsay_analysis: itself, its style, the scripts of the page and of files of figures,
# the templates of figures, and the three scripts that draw them, if npm has installed these (script/bootstrap).
set(figures ${CMAKE_CURRENT_SOURCE_DIR}/analysis/figures)
set(HEARSAY_NODE_MODULES ${CMAKE_CURRENT_SOURCE_DIR}/build/npm/node_modules)
set(vega_files
  ${HEARSAY_NODE_MODULES}/vega/build/vega.min.js
  ${HEARSAY_NODE_MODULES}/vega-lite/build/vega-lite.min.js
  ${HEARSAY_NODE_MODULES}/vega-embed/build/vega-embed.min.js)
set(vega_symbols vega_script vega_lite_script vega_embed_script)
set(vega_license ${HEARSAY_NODE_MODULES}/vega/LICENSE)
set(d3_license ${HEARSAY_NODE_MODULES}/d3-force/LICENSE)
set(d3_files "")  # in the order in which they need each other
foreach(part quadtree dispatch timer force)
  list(APPEND d3_files ${HEARSAY_NODE_MODULES}/d3-${part}/dist/d3-${part}.min.js)
endforeach()
set(gif_file ${HEARSAY_NODE_MODULES}/gifenc/dist/gifenc.js)
set(HEARSAY_FIGURES ON)
foreach(file ${vega_files} ${vega_license} ${d3_files} ${d3_license} ${gif_file})
  if(NOT EXISTS ${file})
    set(HEARSAY_FIGURES OFF)
  endif()
endforeach()
if(NOT HEARSAY_FIGURES)
  message(STATUS "no ${HEARSAY_NODE_MODULES}: hearsay cannot draw figures (run script/bootstrap)")
endif()

# hearsay_embed(symbol file): appends C++ that makes the file's bytes a string view of that name.
set(embedded "#include \"analysis/figures/page_files.hpp\"\n\n#include <array>\n")
macro(hearsay_embed symbol file)
  string(APPEND embedded "
asm(\".pushsection .rodata\\n\"
    \"hearsay_${symbol}_begin:\\n.incbin \\\"${file}\\\"\\nhearsay_${symbol}_end:\\n.byte 0\\n.popsection\\n\");
extern \"C\" const char hearsay_${symbol}_begin[], hearsay_${symbol}_end[];
static std::string_view ${symbol}() {
  return {hearsay_${symbol}_begin, static_cast<std::size_t>(hearsay_${symbol}_end - hearsay_${symbol}_begin)};
}
")
  list(APPEND embedded_files ${file})
endmacro()

hearsay_embed(page_html ${figures}/page.html)
hearsay_embed(page_style ${figures}/page.css)
hearsay_embed(player_html_file ${figures}/player/player.html)
foreach(script state picture player animation)
  hearsay_embed(${script}_script ${figures}/player/${script}.js)
endforeach()
foreach(script parts trace_figures figures page draw)
  hearsay_embed(${script}_script ${figures}/${script}.js)
endforeach()
set(templates "")
foreach(name curves finals heat_map agents network timeline histogram availability)
  hearsay_embed(template_${name} ${figures}/templates/${name}.json)
  string(APPEND templates "\n  add(\"${name}\", template_${name}());")
endforeach()
if(HEARSAY_FIGURES)
  foreach(symbol file IN ZIP_LISTS vega_symbols vega_files)
    hearsay_embed(${symbol} ${file})
  endforeach()
  hearsay_embed(vega_license ${vega_license})
  hearsay_embed(d3_license_file ${d3_license})
  hearsay_embed(gif_script ${gif_file})
  # One script, which leaves its names in the global object wherever it runs.
  set(d3 "(function (exports, module, define) {\n")
  foreach(file ${d3_files})
    file(READ ${file} text)
    string(APPEND d3 "${text}")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/generated/analysis/d3.js "${d3}})();\n")
  hearsay_embed(d3_script ${CMAKE_BINARY_DIR}/generated/analysis/d3.js)
  set(scripts "static const std::array kAll{vega_script(), vega_lite_script(), vega_embed_script()};\n  return kAll;")
  set(license "return vega_license();")
  set(d3 "return d3_script();")
  set(gif "return gif_script();")
  set(d3_license "return d3_license_file();")
else()
  foreach(part scripts license d3 d3_license gif)
    set(${part} "return {};")
  endforeach()
endif()
string(APPEND embedded "
namespace hearsay::analysis::page_files {

std::string_view html() { return page_html(); }
std::string_view style() { return page_style(); }
std::string_view d3() { ${d3} }
std::array<std::string_view, 4> shared() {
  return {d3(), parts_script(), trace_figures_script(), figures_script()};
}
std::string_view player_html() { return player_html_file(); }
std::array<std::string_view, 2> player_pictures() { return {state_script(), picture_script()}; }
std::string_view player() { return player_script(); }
std::string_view animation() { return animation_script(); }
std::string_view gif() { ${gif} }
std::string_view d3_license() { ${d3_license} }
std::string_view page() { return page_script(); }
std::string_view draw() { return draw_script(); }
std::span<const std::string_view> vega() {
  ${scripts}
}
std::string_view license() { ${license} }
std::string templates() {
  std::string all;
  const auto add = [&](std::string_view name, std::string_view text) {
    all += (all.empty() ? \"{\\\"\" : \",\\\"\") + std::string(name) + \"\\\":\" + std::string(text);
  };${templates}
  return all + \"}\";
}

}  // namespace hearsay::analysis::page_files
")
set(source ${CMAKE_BINARY_DIR}/generated/analysis/page_files.cpp)
file(CONFIGURE OUTPUT ${source} CONTENT "${embedded}" @ONLY)
# Alone, because a unity build forgets what its members depend on.
set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${embedded_files}" SKIP_UNITY_BUILD_INCLUSION ON)
target_sources(hearsay_analysis PRIVATE ${source})
