#include "analysis/figures/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/figures/parts.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMostRows = 200;  // points in the table

constexpr Figure kFigures[] = {
    {"curves", true, draw_curves}, {"finals", true, draw_finals},      {"heat_map", true, draw_heat_map},
    {"agents", true, draw_agents}, {"timeline", false, draw_timeline},
};

std::string cell(const Quartiles& q) {
  if (!std::isfinite(q.median)) return "<td>-</td>";
  return fmt::format("<td>{} <span class=\"spread\">{}</span></td>", rounded(q.median),
                     interval_text(q.low, q.high));
}

void baseline_rows(std::string& t, const FigurePoint& point, std::size_t axes) {
  for (const auto& [name, values] : point.baselines) {
    t += "<tr class=\"baseline\">";
    for (std::size_t a = 0; a < axes; ++a) t += "<td></td>";
    t += fmt::format("<td>{}</td>", escaped(name));
    for (const double x : values) t += fmt::format("<td>{}</td>", std::isfinite(x) ? rounded(x) : "");
    t += "</tr>\n";
  }
}

// Whether the baselines of all points are the same; then they are shown once, below them.
bool same_baselines(const StudyData& study) {
  std::set<std::string> different;
  for (const FigurePoint& point : study.points) {
    std::string rows;
    baseline_rows(rows, point, 0);
    different.insert(std::move(rows));
  }
  return different.size() <= 1;
}

std::string table(const StudyData& study) {
  const bool shared = same_baselines(study);
  std::string t = "<div class=\"scroll\"><table><thead><tr>";
  const std::vector<bool> wanted = distinguishing(study);
  const auto axes = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), true));
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (wanted[a]) t += fmt::format("<th>{}</th>", escaped(study.axes[a].name));
  }
  t += "<th>runs</th>";
  for (const MetricInfo& m : study.head.metrics) t += fmt::format("<th>{}</th>", escaped(title_of(m)));
  t += "</tr></thead><tbody>\n";
  for (std::size_t p = 0; p < std::min(study.points.size(), kMostRows); ++p) {
    const FigurePoint& point = study.points[p];
    t += "<tr>";
    for (std::size_t a = 0; a < point.labels.size(); ++a) {
      if (wanted[a]) t += fmt::format("<td>{}</td>", escaped(point.labels[a]));
    }
    t += fmt::format("<td>{}</td>", point.runs);
    for (const Quartiles& q : point.finals) t += cell(q);
    t += "</tr>\n";
    if (!shared) baseline_rows(t, point, axes);
  }
  if (shared && !study.points.empty()) baseline_rows(t, study.points.front(), axes);
  t += "</tbody></table></div>\n<p class=\"dim\">Median [quartiles] over repetitions of the metrics at the "
       "end of "
       "the runs; of per-agent metrics, of their mean over agents.</p>\n";
  if (study.points.size() > kMostRows)
    t += fmt::format("<p class=\"dim\">... and {} more points: see scalars.csv.</p>\n",
                     study.points.size() - kMostRows);
  return t;
}

std::string drawings(const FigureInput& input) {
  std::vector<std::string> all;
  const auto add = [&](const Figure& figure, const std::string& metric, const std::vector<Drawing>& drawn) {
    for (const Drawing& d : drawn) {
      all.push_back(json_object({{"figure", json_text(figure.name)},
                                 {"metric", metric},
                                 {"title", json_text(d.title)},
                                 {"caption", json_text(d.caption)},
                                 {"specification", d.specification}}));
    }
  };
  for (const Figure& figure : figures()) {
    if (!figure.of_metric) {
      add(figure, "null", figure.draw(input, 0));
      continue;
    }
    for (std::size_t m = 0; m < input.study.head.metrics.size(); ++m)
      add(figure, std::to_string(m), figure.draw(input, m));
  }
  return json_list(all);
}

// JSON fit for a script element: nothing in it ends the element.
std::string embedded(const std::string& json) {
  std::string out;
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
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

std::span<const Figure> figures() {
  return kFigures;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      // clang-format off
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
        // clang-format on
    }
  }
  return out;
}

std::string page(const StudyData& study, const std::optional<TraceData>& trace, const PageText& text) {
  if (page_files::vega().empty()) {
    throw OutputError(
        "hearsay was built without the scripts that draw figures; install npm, run script/bootstrap and "
        "build "
        "again");
  }
  std::vector<std::string> metrics;
  for (const MetricInfo& m : study.head.metrics) metrics.push_back(m.name);
  const std::string report =
      json_object({{"metrics", json_texts(metrics)}, {"drawings", drawings({study, trace})}});

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
  out += "<script type=\"application/json\" id=\"figures\">" + embedded(report) + "</script>\n";
  out += fmt::format("<!-- Vega, Vega-Lite and Vega-Embed:\n{}-->\n", page_files::license());
  for (const std::string_view script : page_files::vega()) {
    out += "<script>";
    out += script;
    out += "</script>\n";
  }
  out += "<script>\n";
  out += page_files::script();
  out += "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace hearsay::analysis
