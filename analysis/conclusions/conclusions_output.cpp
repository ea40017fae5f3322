#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/conclusions/summary.hpp"
#include "analysis/results/output_file.hpp"
#include "analysis/conclusions/summary.hpp"

namespace hearsay::analysis {

namespace {

using Row = std::vector<std::string>;

std::string rounded_or_dash(double x) {
  return std::isnan(x) ? "-" : rounded(x);
}
std::string interval(const Estimate& e) {
  return std::isnan(e.low) ? "-" : fmt::format("[{}, {}]", rounded_or_dash(e.low), rounded_or_dash(e.high));
}
// As JSON, which has no NaN.
nlohmann::ordered_json number(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}
nlohmann::ordered_json json_of(const Estimate& e) {
  return {{"value", number(e.value)}, {"low", number(e.low)}, {"high", number(e.high)}};
}

std::string cut(std::vector<Row> rows, std::size_t most) {
  if (rows.size() <= most + 1) return align(rows);
  const std::size_t left = rows.size() - most - 1;
  rows.resize(most + 1);
  return align(rows) + fmt::format("... and {} rows more\n", left);
}

std::string title(const Conclusions::FittedBound& b) {
  return b.type + (b.dimension ? " with p" : "");
}

std::string slopes_text(const Conclusions& c, std::size_t most) {
  Row header{"of", "over"};
  header.insert(header.end(), c.head.axes.begin(), c.head.axes.end());
  for (const char* name : {"slope", "interval", "points", "departure"}) header.emplace_back(name);
  std::vector<Row> rows{header};
  for (const auto& s : c.slopes) {
    Row row{s.of, s.over};
    row.insert(row.end(), s.labels.begin(), s.labels.end());
    for (const std::string& cell :
         {rounded_or_dash(s.slope.value), interval(s.slope), fmt::format("{}", s.points), rounded_or_dash(s.departure)})
      row.push_back(cell);
    rows.push_back(std::move(row));
  }
  return fmt::format(
             "log-log slopes of means, {:g} % jackknife intervals; departure: largest factor between a mean "
             "and "
             "its line\n",
             100 * c.confidence) +
         cut(std::move(rows), most);
}

std::string bounds_text(const Conclusions& c) {
  std::vector<Row> rows{{"bound", "of", "constants", "points", "mean/bound"}};
  for (const auto& b : c.bounds) {
    std::string constants = b.names.empty() ? "none free" : "";
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      constants += fmt::format("{}{} = {} {}", j == 0 ? "" : ", ", b.names[j], rounded_or_dash(b.constants[j].value),
                               b.given[j] ? "given" : "fitted " + interval(b.constants[j]));
    }
    rows.push_back({title(b), b.of, constants, fmt::format("{}", b.points),
                    b.most > 0 ? fmt::format("{} to {}", rounded_or_dash(b.least), rounded_or_dash(b.most)) : "-"});
  }
  return "bounds beside means (bounds.csv: point by point)\n" + align(rows);
}

std::string gains_text(const Conclusions& c, std::size_t most) {
  Row header = c.head.axes;
  for (const char* name : {"of", "owners", "gain", "surely", "surely lose"}) header.emplace_back(name);
  std::vector<Row> rows{header};
  for (std::size_t k = 0; k < c.gains.size();) {
    const auto& first = c.gains[k];
    std::size_t owners = 0, gain = 0, surely = 0, lose = 0;
    for (; k < c.gains.size() && c.gains[k].point == first.point && c.gains[k].of == first.of; ++k) {
      const auto& g = c.gains[k];
      ++owners;
      gain += g.joint.value < g.isolated ? 1u : 0u;
      surely += g.joint.high < g.isolated ? 1u : 0u;
      lose += g.joint.low > g.isolated ? 1u : 0u;
    }
    Row row = c.points[first.point].labels;
    row.push_back(first.of);
    for (const std::size_t count : {owners, gain, surely, lose}) row.push_back(fmt::format("{}", count));
    rows.push_back(std::move(row));
  }
  return fmt::format(
             "owners whose mean with the others is below theirs alone, without privacy; surely: with {:g} % "
             "confidence\n",
             100 * c.confidence) +
         cut(std::move(rows), most);
}

std::string fields(const Row& labels) {
  std::string text;
  for (const std::string& label : labels) text += csv_field(label) + ",";
  return text;
}

void write_fits(const Conclusions& c, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}kind,name,of,agent,value,low,high,how\n", fields(c.head.axes));
  const Row none(c.head.axes.size());
  for (const auto& s : c.slopes) {
    file.print("{}slope,{},{},,{},{},{},{} points\n", fields(s.labels), csv_field(s.over), s.of,
               s.slope.value, s.slope.low, s.slope.high, s.points);
  }
  for (const auto& b : c.bounds) {
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      const Estimate& e = b.constants[j];
      file.print("{}constant,{} {},{},,{},{},{},{}\n", fields(none), title(b), b.names[j], b.of, e.value,
                 e.low, e.high, b.given[j] ? "given" : "fitted");
    }
  }
  for (const auto& g : c.gains) {
    const PointResult& point = c.points[g.point];
    file.print("{}gain,,{},{},{},{},{},isolated minus mean\n", fields(point.labels), g.of,
               point.first_owner + g.owner, g.isolated - g.joint.value, g.isolated - g.joint.high,
               g.isolated - g.joint.low);
  }
  file.commit();
}

void write_bounds(const Conclusions& c, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}bound,of,value,mean,median\n", fields(c.head.axes));
  for (const auto& b : c.bounds) {
    const auto metric = std::find_if(c.head.metrics.begin(), c.head.metrics.end(),
                                     [&](const Metric* m) { return m->name == b.of; });
    const auto m = static_cast<std::size_t>(metric - c.head.metrics.begin());
    for (std::size_t p = 0; p < c.points.size(); ++p) {
      file.print("{}{},{},{},{},{}\n", fields(c.points[p].labels), csv_field(title(b)), b.of, b.values[p],
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

nlohmann::ordered_json Conclusions::json() const {
  nlohmann::ordered_json all;
  for (const auto& s : slopes) {
    nlohmann::ordered_json at = nlohmann::ordered_json::object();
    for (std::size_t a = 0; a < head.axes.size(); ++a) {
      if (!s.labels[a].empty()) at[head.axes[a]] = s.labels[a];
    }
    all["slopes"].push_back({{"of", s.of},
                             {"over", s.over},
                             {"at", at},
                             {"points", s.points},
                             {"slope", json_of(s.slope)},
                             {"departure", number(s.departure)}});
  }
  for (const auto& b : bounds) {
    nlohmann::ordered_json constants = nlohmann::ordered_json::object();
    for (std::size_t j = 0; j < b.names.size(); ++j) {
      constants[b.names[j]] = json_of(b.constants[j]);
      constants[b.names[j]]["how"] = b.given[j] ? "given" : "fitted";
    }
    all["bounds"].push_back({{"type", b.type},
                             {"of", b.of},
                             {"dimension", b.dimension},
                             {"constants", constants},
                             {"points", b.points},
                             {"least_mean_over_bound", number(b.least)},
                             {"most_mean_over_bound", number(b.most)}});
  }
  return all;
}

void write_conclusions(const Conclusions& conclusions, const std::filesystem::path& folder) {
  write_fits(conclusions, folder / "fits.csv");
  write_bounds(conclusions, folder / "bounds.csv");
}

}  // namespace hearsay::analysis
