#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "analysis/results/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

std::string interval(const Estimate& e) {
  return interval_text(e.low, e.high);
}
// JSON has no NaN.
Json finite_json(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}
Json json_of(const Estimate& e) {
  return {{"value", finite_json(e.value)}, {"low", finite_json(e.low)}, {"high", finite_json(e.high)}};
}

void append(Row& row, const Row& cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

std::string cut(std::vector<Row> rows, std::size_t most) {
  if (rows.size() <= most + 1) return align(rows);
  const std::size_t left = rows.size() - most - 1;
  rows.resize(most + 1);
  return align(rows) + fmt::format("... and {} more rows\n", left);
}

std::string title(const Conclusions::FittedBound& b) {
  return b.type + (b.dimension ? " with p" : "");
}

std::string slopes_text(const Conclusions& c, std::size_t most) {
  std::vector<Row> rows{{"of", "over"}};
  append(rows[0], c.head.axes);
  append(rows[0], {"slope", "interval", "points", "departure"});
  for (const auto& s : c.slopes) {
    Row& row = rows.emplace_back(Row{s.of, s.over});
    append(row, s.labels);
    append(row, {rounded(s.slope.value), interval(s.slope), std::to_string(s.points), rounded(s.departure)});
  }
  return fmt::format(
             "log-log slopes of means with {:g} % jackknife intervals; departure: largest factor between a "
             "mean "
             "and the fitted line\n",
             100 * c.confidence) +
         cut(std::move(rows), most);
}

std::string bounds_text(const Conclusions& c) {
  std::vector<Row> rows{{"bound", "of", "constants", "points", "mean/bound"}};
  for (const auto& b : c.bounds) {
    std::string constants = b.names.empty() ? "none free" : "";
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      constants += fmt::format("{}{} = {} {}", j == 0 ? "" : ", ", b.names[j], rounded(b.constants[j].value),
                               b.given[j] ? "given" : "fitted " + interval(b.constants[j]));
    }
    rows.push_back({title(b), b.of, constants, std::to_string(b.points),
                    b.max > 0 ? fmt::format("{} to {}", rounded(b.min), rounded(b.max)) : "-"});
  }
  return "bounds compared with means (bounds.csv: point by point)\n" + align(rows);
}

std::string gains_text(const Conclusions& c, std::size_t most) {
  std::vector<Row> rows{c.head.axes};
  append(rows[0], {"of", "owners", "gain", "gain significantly", "lose significantly"});
  for (std::size_t k = 0; k < c.gains.size();) {
    const auto& first = c.gains[k];
    std::size_t owners = 0, gain = 0, significant = 0, lose = 0;
    for (; k < c.gains.size() && c.gains[k].point == first.point && c.gains[k].of == first.of; ++k) {
      const auto& g = c.gains[k];
      ++owners;
      gain += g.joint.value < g.isolated ? 1u : 0u;
      significant += g.joint.high < g.isolated ? 1u : 0u;
      lose += g.joint.low > g.isolated ? 1u : 0u;
    }
    Row& row = rows.emplace_back(c.points[first.point].labels);
    row.push_back(first.of);
    for (const std::size_t count : {owners, gain, significant, lose}) row.push_back(std::to_string(count));
  }
  return fmt::format(
             "owners whose mean with collaboration is below that of their isolated model without privacy; "
             "significantly: by a {:g} % confidence interval\n",
             100 * c.confidence) +
         cut(std::move(rows), most);
}

void write_fits(const Conclusions& c, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}kind,name,of,agent,value,low,high,how\n", csv_prefix(c.head.axes));
  const Row none(c.head.axes.size());
  for (const auto& s : c.slopes) {
    file.print("{}slope,{},{},,{},{},{},{} points\n", csv_prefix(s.labels), csv_field(s.over), s.of,
               s.slope.value, s.slope.low, s.slope.high, s.points);
  }
  for (const auto& b : c.bounds) {
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      const Estimate& e = b.constants[j];
      file.print("{}constant,{} {},{},,{},{},{},{}\n", csv_prefix(none), title(b), b.names[j], b.of, e.value,
                 e.low, e.high, b.given[j] ? "given" : "fitted");
    }
  }
  for (const auto& g : c.gains) {
    const PointResult& point = c.points[g.point];
    file.print("{}gain,,{},{},{},{},{},isolated minus mean\n", csv_prefix(point.labels), g.of,
               point.first_owner + g.owner, g.isolated - g.joint.value, g.isolated - g.joint.high,
               g.isolated - g.joint.low);
  }
  file.commit();
}

void write_bounds(const Conclusions& c, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}bound,of,value,mean,median\n", csv_prefix(c.head.axes));
  for (const auto& b : c.bounds) {
    const std::size_t m = c.head.metric(b.of).value();
    for (std::size_t p = 0; p < c.points.size(); ++p) {
      file.print("{}{},{},{},{},{}\n", csv_prefix(c.points[p].labels), csv_field(title(b)), b.of, b.values[p],
                 c.means[p][m], c.medians[p][m]);
    }
  }
  file.commit();
}

}  // namespace

std::string Conclusions::text(std::size_t most) const {
  std::string all;
  const auto add = [&](const std::string& part) { all += (all.empty() ? "" : "\n") + part; };
  if (!slopes.empty()) add(slopes_text(*this, most));
  if (!bounds.empty()) add(bounds_text(*this));
  if (!gains.empty()) add(gains_text(*this, most));
  return all;
}

std::string Conclusions::json() const {
  Json all;
  for (const auto& s : slopes) {
    Json at = Json::object();
    for (std::size_t a = 0; a < head.axes.size(); ++a) {
      if (!s.labels[a].empty()) at[head.axes[a]] = s.labels[a];
    }
    all["slopes"].push_back({{"of", s.of},
                             {"over", s.over},
                             {"at", at},
                             {"points", s.points},
                             {"slope", json_of(s.slope)},
                             {"departure", finite_json(s.departure)}});
  }
  for (const auto& b : bounds) {
    Json constants = Json::object();
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      constants[b.names[j]] = json_of(b.constants[j]);
      constants[b.names[j]]["how"] = b.given[j] ? "given" : "fitted";
    }
    all["bounds"].push_back({{"type", b.type},
                             {"of", b.of},
                             {"dimension", b.dimension},
                             {"constants", constants},
                             {"points", b.points},
                             {"min_mean_over_bound", finite_json(b.min)},
                             {"max_mean_over_bound", finite_json(b.max)}});
  }
  return all.is_null() ? "" : all.dump();
}

void write_conclusions(const Conclusions& conclusions, const std::filesystem::path& folder) {
  write_fits(conclusions, folder / "fits.csv");
  write_bounds(conclusions, folder / "bounds.csv");
}

}  // namespace hearsay::analysis
