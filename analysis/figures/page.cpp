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

// A table with a note below it, all of it HTML.
std::string table_of(const std::vector<std::string>& header, const std::string& rows,
                     const std::string& note) {
  return "<div class=\"scroll\"><table><thead><tr>" + cells("th", header) + "</tr></thead><tbody>\n" + rows +
         "</tbody></table></div>\n<p class=\"dim\">" + note + "</p>\n";
}

// "... and 3 more points: see scalars.csv.", where a table has not all rows.
std::string more(std::size_t all, const char* rows, const char* file) {
  if (all <= kMaxRows) return "";
  return fmt::format("<p class=\"dim\">... and {} more {}: see {}.</p>\n", all - kMaxRows, rows, file);
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
    for (const double x : values) row.push_back(std::isnan(x) ? "" : rounded(x));
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
  std::string t;
  for (std::size_t p = 0; p < std::min(study.points.size(), kMaxRows); ++p) {
    const FigurePoint& point = study.points[p];
    auto row = selected(point.labels, wanted);
    row.insert(row.end(), point.tuned.begin(), point.tuned.end());
    row.push_back(std::to_string(point.runs));
    t += "<tr>" + cells("td", row);
    for (const Quartiles& q : point.finals) {
      t += std::isnan(q.median) ? "<td>-</td>"
                                : fmt::format("<td>{} <span class=\"spread\">{}</span></td>",
                                              rounded(q.median), interval_text(q.low, q.high));
    }
    t += "</tr>\n";
    if (!all_equal) t += baseline_rows(point, axes);
  }
  if (all_equal) t += shared;
  t = table_of(
      header, t,
      "Median [quartiles] over repetitions of the metrics at the end of the runs; of per-agent metrics, of "
      "their mean over agents.");
  for (const std::string& line :
       study.points.empty() ? std::vector<std::string>() : baseline_lines(study.head, study.points.front()))
    t += fmt::format("<p class=\"dim\">{}</p>\n", escaped(line));
  return t + more(study.points.size(), "points", "scalars.csv");
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
      table_of(header, rows,
               "Owners whose mean with collaboration is better than the value of their isolated model "
               "without privacy; significantly: with its 95 % interval. " +
                   escaped(measured_on(metrics)) + "."));
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
  const std::string text = table_of(
      {"agent", "name", "records", "test records", "epsilon", "delta"}, rows,
      std::string(study.points.size() > 1 ? "Of the first point: owners.csv has those of all points. " : "") +
          "epsilon and delta: total budget of a run; empty without one.");
  return section("Owners", text + more(study.owners.size(), "owners", "owners.csv"),
                 study.owners.size() <= 12);
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

// JSON without '<', so that nothing in it ends its element.
std::string embedded(const Json& data) {
  return boost::replace_all_copy(json_text(data), "<", "\\u003c");
}

// The scripts of a page: the shared ones, the player where there is a trace, its own.
std::string script_of(bool traced, std::string_view own) {
  std::string all = "<script>\n";
  for (const std::string_view script : kSharedScripts) all += page_files().at(script);
  for (const std::string_view script : kPlayerPictures) all += traced ? page_files().at(script) : "";
  all += traced ? page_files().at("player/player.js") : "";
  return all.append(own) + "</script>\n";
}

}  // namespace

std::string player_page(StudyData study, const TraceData& trace, const std::string& title) {
  require_scripts();
  std::erase_if(study.points, [&](const FigurePoint& p) { return p.number != trace.point; });
  for (FigurePoint& point : study.points) point.curves.clear(), point.by_owner.clear();
  Json data = figure_data(study, trace, "");
  data["templates"] = Json::object();
  const char* const start =
      "player(document.getElementById('player'), "
      "JSON.parse(document.getElementById('figures').textContent).study);\n";
  return fmt::format(fmt::runtime(page_files().at("player/player.html")), fmt::arg("title", escaped(title)),
                     fmt::arg("style", page_files().at("page.css")), fmt::arg("figures", embedded(data)),
                     fmt::arg("license", page_files().at("copyright")),
                     fmt::arg("scripts", script_of(true, start)));
}

std::string page(const StudyData& study, const std::optional<TraceData>& trace, const PageText& text) {
  require_scripts();
  FigureChoice all;
  for (const MetricInfo& m : study.head.metrics) all.metrics.push_back(m.name);
  const Json report = figure_data(study, trace, text.title + "-", all);

  std::string header = text.description.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(text.description));
  header += fmt::format("<p class=\"dim\">{}</p>\n", counts(study));
  for (const std::string& s : text.statements)
    header += fmt::format("<p class=\"statement\">{}</p>\n", escaped(s));

  std::string notes;
  if (!study.omitted.empty())
    notes += "<p class=\"dim\">To limit its size, this page shows only:</p>\n" + html_list(study.omitted);
  std::string steps = "<dl>\n";
  for (const auto& [what, how] : text.reproduce)
    steps += fmt::format("<dt>{}</dt><dd><code>{}</code></dd>\n", escaped(what), escaped(how));
  notes += section("How to reproduce it", steps + "</dl>\n");
  if (!text.unaccounted.empty())
    notes += section("Fitted on private data without accounting",
                     "<p>In addition to any epsilon:</p>\n" + html_list(text.unaccounted));
  if (!text.notes.empty()) notes += section("Notes", html_list(text.notes));
  notes += section("Scenario, with every default filled in",
                   fmt::format("<pre>{}</pre>\n", escaped(text.scenario)), false);

  const bool traced = trace && trace->agents > 0;
  std::string scripts;
  for (const std::string_view script : kVega)
    scripts += fmt::format("<script>{}</script>\n", page_files().at(script));
  scripts += script_of(traced, page_files().at("page.js"));
  return fmt::format(
      fmt::runtime(page_files().at("page.html")), fmt::arg("title", escaped(text.title)),
      fmt::arg("style", page_files().at("page.css")), fmt::arg("header", header),
      fmt::arg("tables", section("Results", table(study)) + gains_table(study) + owners_table(study)),
      fmt::arg("player", traced ? section("One run, played", "<div id=\"player\"></div>\n") : ""),
      fmt::arg("notes", notes), fmt::arg("figures", embedded(report)),
      fmt::arg("license", page_files().at("copyright")), fmt::arg("scripts", scripts));
}

}  // namespace hearsay::analysis
