#include "analysis/figures/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>

#include "analysis/figures/figure_data.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/tables/baseline_text.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMaxRows = 200;  // points in the table

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

// A section that can be folded.
std::string section(std::string_view title, std::string_view content, bool open = true) {
  return fmt::format("<details class=\"section\"{}><summary><h2>{}</h2></summary>\n{}</details>\n",
                     open ? " open" : "", escaped(title), content);
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
  for (const std::string& option : study.head.tuned) header.push_back(selected_title(option));
  const std::size_t axes = header.size();
  // Baselines that all points have in common are shown once, below them.
  const std::string shared = study.points.empty() ? "" : baseline_rows(study.points.front(), axes);
  const bool all_equal = std::all_of(study.points.begin(), study.points.end(),
                                     [&](const FigurePoint& p) { return baseline_rows(p, axes) == shared; });
  header.emplace_back("runs");
  for (const MetricInfo& m : study.head.metrics) header.push_back(title_of(m));
  std::string t = "<div class=\"scroll\"><table><thead><tr>" + cells("th", header) + "</tr></thead><tbody>\n";
  for (std::size_t p = 0; p < std::min(study.points.size(), kMaxRows); ++p) {
    const FigurePoint& point = study.points[p];
    auto row = selected(point.labels, wanted);
    row.insert(row.end(), point.tuned.begin(), point.tuned.end());
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
  for (const std::string& line :
       study.points.empty() ? std::vector<std::string>() : baseline_lines(study.head, study.points.front()))
    t += fmt::format("<p class=\"dim\">{}</p>\n", escaped(line));
  if (study.points.size() > kMaxRows)
    t += fmt::format("<p class=\"dim\">... and {} more points: see scalars.csv.</p>\n",
                     study.points.size() - kMaxRows);
  return t;
}

// How many owners gain from collaborating, by point and metric; empty if there are no isolated models to compare with.
std::string gains_table(const StudyData& study) {
  const std::vector<bool> wanted = distinguishing(study);
  std::string rows;
  std::vector<std::string> metrics;
  for (std::size_t p = 0; p < std::min(study.points.size(), kMaxRows); ++p) {
    const FigurePoint& point = study.points[p];
    for (std::size_t m = 0; m < point.by_owner.size(); ++m) {
      const GainCounts& counts = point.by_owner[m].counts;
      if (counts.owners == 0) continue;
      auto row = selected(point.labels, wanted);
      row.push_back(study.head.metrics[m].name);
      if (std::ranges::count(metrics, row.back()) == 0) metrics.push_back(row.back());
      for (const std::size_t count : {counts.owners, counts.gain, counts.significant, counts.lose})
        row.push_back(std::to_string(count));
      rows += "<tr>" + cells("td", row) + "</tr>\n";
    }
  }
  if (rows.empty()) return "";
  auto header = selected(study.head.axes, wanted);
  for (const char* name : {"metric", "owners", "gain", "gain significantly", "lose significantly"})
    header.emplace_back(name);
  return section(
      "Gains of collaborating",
      "<div class=\"scroll\"><table><thead><tr>" + cells("th", header) + "</tr></thead><tbody>\n" + rows +
          "</tbody></table></div>\n<p class=\"dim\">Owners whose mean with collaboration is better than the "
          "value of their isolated model without privacy; significantly: with its 95 % interval. " +
          escaped(measured_on(metrics)) + ".</p>\n");
}

std::string owners_table(const StudyData& study) {
  if (study.owners.empty()) return "";
  const auto known = [](double x) { return std::isfinite(x) ? rounded(x) : std::string(); };
  std::string rows;
  const sim::AgentId first = study.points.front().first_owner;
  for (std::size_t i = 0; i < std::min(study.owners.size(), kMaxRows); ++i) {
    const OwnerFacts& o = study.owners[i];
    rows += "<tr>" +
            cells("td", {std::to_string(first + i), o.name, std::to_string(o.records),
                         std::to_string(o.test_records), known(o.epsilon), known(o.delta)}) +
            "</tr>\n";
  }
  std::string text =
      "<div class=\"scroll\"><table><thead><tr>" +
      cells("th", {"agent", "name", "records", "test records", "epsilon", "delta"}) +
      "</tr></thead><tbody>\n" + rows + "</tbody></table></div>\n<p class=\"dim\">" +
      (study.points.size() > 1 ? "Of the first point: owners.csv has those of all points. " : "") +
      "epsilon and delta: total budget of a run; empty without one.</p>\n";
  if (study.owners.size() > kMaxRows)
    text += fmt::format("<p class=\"dim\">... and {} more owners: see owners.csv.</p>\n",
                        study.owners.size() - kMaxRows);
  return section("Owners", text, study.owners.size() <= 12);
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
  require_scripts();
  FigureChoice all;
  for (const MetricInfo& m : study.head.metrics) all.metrics.push_back(m.name);
  const Json report = figure_data(study, trace, text.title + "-", all);

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
  out += "</header>\n<main>\n" + section("Results", table(study)) + gains_table(study) + owners_table(study);
  out +=
      "<nav><label>metric <select id=\"metric\"></select></label>\n"
      "<label>against <select id=\"along\"></select></label>\n"
      "<label>show <select id=\"statistic\"><option value=\"median\">median with quartiles</option>"
      "<option value=\"mean\">mean with 95 % interval</option></select></label>\n"
      "<label>scale <select id=\"scale\"><option>automatic</option><option>linear</option>"
      "<option>logarithmic</option></select></label></nav>\n<div id=\"drawings\"></div>\n"
      "<noscript><p>The figures are drawn by scripts in this page; scripts are disabled.</p></noscript>\n";
  if (!study.omitted.empty())
    out += "<p class=\"dim\">To limit its size, this page shows only:</p>\n" + html_list(study.omitted);
  std::string steps = "<dl>\n";
  for (const auto& [what, how] : text.reproduce)
    steps += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", escaped(what), escaped(how));
  out += section("How to reproduce it", steps + "</dl>\n");
  if (!text.unaccounted.empty())
    out += section("Fitted on private data without accounting",
                   "<p>In addition to any epsilon:</p>\n" + html_list(text.unaccounted));
  if (!text.notes.empty()) out += section("Notes", html_list(text.notes));
  out += section("Scenario, with every default filled in",
                 fmt::format("<pre>{}</pre>\n", escaped(text.scenario)), false);
  out += "</main>\n<footer class=\"dim\">Made by hearsay; figures by Vega and Vega-Lite.</footer>\n";
  // Without '<' nothing in the JSON ends its element.
  out += "<script type=\"application/json\" id=\"figures\">" +
         boost::replace_all_copy(json_text(report), "<", "\\u003c") + "</script>\n";
  out += fmt::format("<!-- Vega, Vega-Lite and Vega-Embed:\n{}-->\n", page_files::license());
  for (const std::string_view script : page_files::vega())
    out += fmt::format("<script>{}</script>\n", script);
  out += "<script>\n";
  for (const std::string_view script : page_files::shared()) out += script;
  return out.append(page_files::page()) + "</script>\n</body>\n</html>\n";
}

}  // namespace hearsay::analysis
