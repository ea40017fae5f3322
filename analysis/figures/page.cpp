#include "analysis/figures/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/figures/parts.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMostRows = 200;  // points in the table

// Text escaped for HTML, also for attributes.
std::string escaped(std::string_view text) {
  std::string out(text);
  for (const auto& [character, entity] :
       {std::pair{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}})
    boost::replace_all(out, character, entity);
  return out;
}

std::string cells(const char* tag, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += fmt::format("<{0}>{1}</{0}>", tag, escaped(text));
  return all;
}

std::string baseline_rows(const FigurePoint& point, std::size_t axes) {
  std::string rows;
  for (const auto& [name, values] : point.baselines) {
    std::vector<std::string> row(axes);
    row.push_back(name);
    for (const double x : values) row.push_back(std::isfinite(x) ? rounded(x) : "");
    rows += "<tr class=\"baseline\">" + cells("td", row) + "</tr>\n";
  }
  return rows;
}

std::string table(const StudyData& study) {
  const std::vector<bool> wanted = distinguishing(study);
  auto header = selected(study.head.axes, wanted);
  const std::size_t axes = header.size();
  // Baselines that all points have in common are shown once, below them.
  const std::string shared = study.points.empty() ? "" : baseline_rows(study.points.front(), axes);
  const bool all_equal = std::all_of(study.points.begin(), study.points.end(),
                                     [&](const FigurePoint& p) { return baseline_rows(p, axes) == shared; });
  header.emplace_back("runs");
  for (const MetricInfo& m : study.head.metrics) header.push_back(title_of(m));
  std::string t = "<div class=\"scroll\"><table><thead><tr>" + cells("th", header) + "</tr></thead><tbody>\n";
  for (std::size_t p = 0; p < std::min(study.points.size(), kMostRows); ++p) {
    const FigurePoint& point = study.points[p];
    auto row = selected(point.labels, wanted);
    row.push_back(std::to_string(point.runs));
    t += "<tr>" + cells("td", row);
    for (const Quartiles& q : point.finals) {
      t += std::isfinite(q.median) ? fmt::format("<td>{} <span class=\"spread\">{}</span></td>",
                                                 rounded(q.median), interval_text(q.low, q.high))
                                   : "<td>-</td>";
    }
    t += "</tr>\n";
    if (!all_equal) t += baseline_rows(point, axes);
  }
  if (all_equal) t += shared;
  t += "</tbody></table></div>\n<p class=\"dim\">Median [quartiles] over repetitions of the metrics at the "
       "end of the runs; of per-agent metrics, of their mean over agents.</p>\n";
  if (study.points.size() > kMostRows)
    t += fmt::format("<p class=\"dim\">... and {} more points: see scalars.csv.</p>\n",
                     study.points.size() - kMostRows);
  return t;
}

Json drawings(const FigureInput& input) {
  Json all = Json::array();
  for (const Figure& figure : figures()) {
    const std::size_t times = figure.of_metric ? input.study.head.metrics.size() : 1;
    for (std::size_t m = 0; m < times; ++m) {
      for (const Drawing& d : figure.draw(input, m)) {
        all.push_back(Json{{"figure", figure.name},
                           {"metric", figure.of_metric ? Json(m) : Json()},
                           {"title", d.title},
                           {"caption", d.caption},
                           {"specification", d.specification}});
      }
    }
  }
  return all;
}

std::string html_list(const std::vector<std::string>& items) {
  std::string text = "<ul>";
  for (const std::string& item : items) text += fmt::format("<li>{}</li>", escaped(item));
  return text + "</ul>\n";
}

std::string counts(const StudyData& study) {
  std::size_t runs = 0;
  for (const FigurePoint& p : study.points) runs += p.runs;
  std::string text = fmt::format("{} point{}, {} run{} done", study.points.size(),
                                 study.points.size() == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
  for (const auto& [count, what] :
       {std::pair{study.diverged, "diverged"}, {study.failed, "failed"}, {study.unfinished, "interrupted"}}) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  }
  return text;
}

}  // namespace

std::string page(const StudyData& study, const std::optional<TraceData>& trace, const PageText& text) {
  if (page_files::vega().empty())
    throw OutputError(
        "hearsay was built without the scripts that draw figures; install npm, run script/bootstrap and "
        "build again");
  Json report{{"metrics", Json::array()}, {"drawings", drawings({study, trace})}};
  for (const MetricInfo& m : study.head.metrics) report["metrics"].push_back(m.name);

  std::string out = fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="generator" content="hearsay">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<header>
<h1>{}</h1>
)",
                                escaped(text.title), page_files::style(), escaped(text.title));
  if (!text.description.empty()) out += fmt::format("<p>{}</p>\n", escaped(text.description));
  out += fmt::format("<p class=\"dim\">{}</p>\n", counts(study));
  for (const std::string& s : text.statements)
    out += fmt::format("<p class=\"statement\">{}</p>\n", escaped(s));
  out += "</header>\n<main>\n<h2>Results</h2>\n" + table(study);
  out +=
      "<nav><label>metric <select id=\"metric\"></select></label></nav>\n<div id=\"drawings\"></div>\n"
      "<noscript><p>The figures are drawn by scripts in this page; scripts are disabled.</p></noscript>\n";
  if (!study.omitted.empty())
    out += "<p class=\"dim\">To limit its size, this page shows only:</p>\n" + html_list(study.omitted);
  out += "<h2>How to reproduce it</h2>\n<dl>\n";
  for (const auto& [what, how] : text.reproduce)
    out += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", escaped(what), escaped(how));
  out += "</dl>\n";
  if (!text.unaccounted.empty())
    out += "<h2>Fitted on private data without accounting</h2>\n<p>In addition to any epsilon:</p>\n" +
           html_list(text.unaccounted);
  if (!text.notes.empty()) out += "<h2>Notes</h2>\n" + html_list(text.notes);
  out += fmt::format(
      "<h2>Scenario</h2>\n<details><summary>with every default filled in</summary><pre>{}</pre></details>\n",
      escaped(text.scenario));
  out += "</main>\n<footer class=\"dim\">Made by hearsay; figures by Vega and Vega-Lite.</footer>\n";
  // Without '<' nothing in the JSON ends its element.
  out += "<script type=\"application/json\" id=\"figures\">" +
         boost::replace_all_copy(json_text(report), "<", "\\u003c") + "</script>\n";
  out += fmt::format("<!-- Vega, Vega-Lite and Vega-Embed:\n{}-->\n", page_files::license());
  for (const std::string_view script : page_files::vega())
    out += fmt::format("<script>{}</script>\n", script);
  return out + fmt::format("<script>\n{}</script>\n</body>\n</html>\n", page_files::script());
}

}  // namespace hearsay::analysis
