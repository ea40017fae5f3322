#pragma once
// A shipped scenario, run with changes that shrink it, and what its tables say.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/results.hpp"

namespace hearsay::test {

/// A number for each point of a study, in their order, by its labels: those of all axes, separated by spaces.
class PointValues {
 public:
  std::vector<std::pair<std::string, double>> all;

  std::size_t size() const { return all.size(); }
  double operator[](std::size_t point) const { return all.at(point).second; }
  double at(const std::string& labels) const {
    const auto found = std::ranges::find(all, labels, &std::pair<std::string, double>::first);
    INFO("a point with the labels " << labels);
    REQUIRE(found != all.end());
    return found->second;
  }
};

class ShippedStudy {
 public:
  using Row = std::map<std::string, std::string>;  ///< column -> field

  /// Runs scenarios/NAME.json with these arguments.
  explicit ShippedStudy(const std::string& name, const std::string& changes = "")
      : folder_(scratch_ / "out") {
    const Outcome outcome =
        shell("hearsay run " + kScenarios + name + ".json --no-progress -j 2 -o " + folder_ + " " + changes);
    INFO(name << " " << changes << "\n" << outcome.err << outcome.out);
    REQUIRE(outcome.code == 0);
  }

  std::size_t points() const {
    const auto runs = rows("runs.csv");
    return static_cast<std::size_t>(
        std::ranges::count_if(runs, [](const Row& run) { return run.at("repetition") == "0"; }));
  }
  nlohmann::json manifest() const { return manifest_of(folder_); }

  std::vector<Row> rows(const std::string& table) const {
    std::vector<Row> all;
    const auto lines = rows_of(folder_ + "/" + table);
    for (std::size_t k = 1; k < lines.size(); ++k) {
      Row& row = all.emplace_back();
      for (std::size_t c = 0; c < lines[0].size(); ++c) row[lines[0][c]] = lines[k].at(c);
    }
    return all;
  }

  /// Means of a metric at the end of runs, over repetitions and agents.
  PointValues ends(const std::string& metric) const { return means("scalars.csv", "name", metric, true); }
  /// A number of each point that no run changes, such as that of its optimum.
  PointValues of_points(const std::string& name) const { return means("scalars.csv", "name", name, false); }
  /// Means of a metric after each iteration at which it was measured: iteration -> value, by labels.
  std::map<std::string, std::map<double, double>> curves(const std::string& metric) const {
    std::map<std::string, std::map<double, double>> all;
    std::map<std::pair<std::string, double>, int> counts;
    each("series.csv", [&](const std::string& labels, const Row& row) {
      if (row.at("metric") != metric) return;
      const double at = std::stod(row.at("iteration"));
      double& mean = all[labels][at];
      mean += (std::stod(row.at("value")) - mean) / ++counts[{labels, at}];
    });
    return all;
  }

 private:
  /// f(labels of the point, row) for each row. Of an axis with a number and its text the text is a label.
  template <class F>
  void each(const std::string& table, F&& f) const {
    const std::vector<std::string> head = rows_of(folder_ + "/" + table).at(0);
    const auto axes = std::ranges::find(head, "repetition") - head.begin();
    for (const Row& row : rows(table)) {
      std::string labels;
      for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a) {
        if (head[a + 1] != head[a] + ".text") labels += (labels.empty() ? "" : " ") + row.at(head[a]);
      }
      f(labels, row);
    }
  }

  PointValues means(const std::string& table, const std::string& column, const std::string& name,
                    bool of_runs) const {
    PointValues means;
    int count = 0;
    each(table, [&](const std::string& labels, const Row& row) {
      if (row.at(column) != name || row.at("repetition").empty() == of_runs) return;
      if (means.all.empty() || means.all.back().first != labels) {
        means.all.emplace_back(labels, 0);
        count = 0;
      }
      double& mean = means.all.back().second;
      mean += (std::stod(row.at("value")) - mean) / ++count;
    });
    return means;
  }

  Scratch scratch_;
  std::string folder_;
};

}  // namespace hearsay::test
