#pragma once
// An invented study, stored, read again and drawn.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/figures/figure_data.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/metrics/metric.hpp"
#include "analysis/store/store.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch.hpp"

namespace hearsay::test {

inline std::optional<double> plain_number(const std::string& label) {
  char* end = nullptr;
  const double x = std::strtod(label.c_str(), &end);
  return *end == '\0' && !label.empty() ? std::optional(x) : std::nullopt;
}

struct Made {
  std::vector<std::string> axes{"privacy.epsilon"};
  std::vector<std::vector<std::string>> points{{"0.1"}, {"1"}, {"10"}};
  std::uint32_t repetitions = 3;
  std::size_t owners = 2, samples = 3;
  bool ragged = false;  // repetitions have samples at different times
  double end = 0;       // s by which each repetition ends later than the one before
  std::vector<std::string>
      names{};  // of owners; then each has an isolated objective of 1000 and epsilon 0.025
  std::string every = "iterations";
  std::uint64_t messages = 0;  // sent per sample
};

// At iteration 10 k of repetition r of point p the objective is 1000 / 10^p / (k + 1) + r, and owner i has
// spent (i + 1) (k + r) / 100.
inline analysis::StudyData study(const Scratch& dir, const Made& made,
                                 const analysis::FigureLimits& limits = {}) {
  {
    analysis::Store store(dir.path());
    analysis::StudyPlan plan;
    plan.head.axes = made.axes;
    plan.head.metrics = {analysis::find_metric("objective")->info(),
                         analysis::find_metric("epsilon_spent_by_owner")->info()};
    plan.record_key = "r";
    plan.head.every = static_cast<std::size_t>(
        std::find(analysis::kEveryNames.begin(), analysis::kEveryNames.end(), made.every) -
        analysis::kEveryNames.begin());
    std::vector<analysis::Scalar> baselines{{"pooled.objective", {}, 0.125}};
    analysis::Participants participants;
    for (const std::string& name : made.names) {
      const auto agent = static_cast<sim::AgentId>(participants.owners.size() + 1);
      participants.owners.push_back({name, 10, 5, 1, 0});
      baselines.push_back({"isolated.objective", agent, 1000});
      baselines.push_back({"isolated.epsilon_spent_by_owner", agent, 0.025});
    }
    if (!made.names.empty())
      participants.network = {.nodes = {{"", 0, 0}, {"", 1, 0}, {"", 0, 1}}, .links = {{0, 1}, {0, 2}}};
    for (std::size_t p = 0; p < made.points.size(); ++p)
      plan.points.push_back({fmt::format("key-{}", p), made.points[p], made.repetitions, "d"});
    store.begin_study(plan);
    for (std::size_t p = 0; p < made.points.size(); ++p) {
      store.put_point(p,
                      {.labels = {},
                       .scalars = baselines,
                       .unaccounted = {},
                       .notes = {},
                       .owners = made.owners,
                       .first_owner = 1},
                      participants);
      for (std::uint32_t r = 0; r < made.repetitions; ++r) {
        analysis::RunResult run;
        run.point = p;
        run.repetition = r;
        for (std::size_t k = 0; k < made.samples; ++k) {
          const double late = k + 1 == made.samples ? made.end * r : 0;
          run.series.samples.push_back({10 * k, static_cast<double>(k) * (made.ragged ? 1 + r : 1) + late,
                                        20 * k, 2000 * k, made.messages * k});
          run.series.values.push_back(1000 / std::pow(10.0, p) / static_cast<double>(k + 1) + r);
          for (std::size_t i = 0; i < made.owners; ++i)
            run.series.values.push_back(static_cast<double>((i + 1) * (k + r)) / 100);
        }
        store.put_run(run);
      }
    }
    store.close();
  }
  analysis::StoredStudy stored(dir.path());
  return analysis::gather(stored, plain_number, limits);
}

/// A drawing of the scripts.
struct Drawing {
  std::string title, caption;
  nlohmann::json specification;
  nlohmann::json against{};  ///< of curves
};

inline nlohmann::json spec_of(const Drawing& drawing) {
  return drawing.specification;
}

inline nlohmann::json rows_of(const Drawing& drawing) {
  return spec_of(drawing).at("data").at("values");
}

/// All drawings of the data in a page's element "figures", by the scripts of the page, which node runs. `shown`: in JavaScript.
inline nlohmann::json drawings_of(const std::string& figures, const std::string& shown = "{}") {
  const Scratch dir;
  std::string script;
  for (const std::string_view part : analysis::kSharedScripts) script += analysis::page_files().at(part);
  script += "console.log(JSON.stringify(drawings(JSON.parse(require('fs').readFileSync(process.argv[2])), " +
            shown + ")));";
  const Outcome outcome =
      shell("node " + dir.write("draw.js", script) + " " + dir.write("data.json", figures));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return nlohmann::json::parse(outcome.out);
}

/// The drawings of one figure.
inline std::vector<Drawing> draw(const analysis::StudyData& data, const std::string& figure,
                                 std::size_t metric, const std::optional<analysis::TraceData>& trace = {},
                                 const analysis::FigureChoice& choice = {}) {
  std::vector<Drawing> all;
  const analysis::Json tables = analysis::figure_data(data, trace, "", choice);
  for (const nlohmann::json& d : drawings_of(analysis::json_text(tables))) {
    const bool of_metric = d.at("metric").is_null() ? metric == 0 : d.at("metric") == metric;
    if (of_metric && d.at("figure") == figure)
      all.push_back(
          {d.at("title"), d.at("caption"), d.at("specification"), d.value("against", nlohmann::json())});
  }
  return all;
}

}  // namespace hearsay::test
