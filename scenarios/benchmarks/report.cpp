// Results of benchmarks, as a table and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/tables/summary.hpp"
#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/study/build_info.hpp"

namespace hearsay::scenarios {

namespace {

using Json = nlohmann::ordered_json;

std::string time_text(double nanoseconds) {
  return nanoseconds < 1e3   ? fmt::format("{:.3g} ns", nanoseconds)
         : nanoseconds < 1e6 ? fmt::format("{:.3g} us", nanoseconds / 1e3)
                             : fmt::format("{:.3g} ms", nanoseconds / 1e6);
}

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const BenchmarkRow& row) {
  return {{"unit", row.unit},
          {"variant", row.variant},
          {"agents", optional_json(row.agents)},
          {"dimension", optional_json(row.dimension)},
          {"operations", row.operations},
          {"seconds", row.seconds},
          {"per_second", 1e9 / row.nanoseconds()},
          {"nanoseconds", row.nanoseconds()},
          {"spread", row.spread()},
          {"yardstick",
           {{"operations", row.yardstick_operations},
            {"seconds", row.yardstick_seconds},
            {"nanoseconds", row.yardstick_nanoseconds()}}},
          {"ratio", row.ratio()},
          {"bytes_per_agent", optional_json(row.bytes_per_agent)},
          {"counts", row.counts}};
}

}  // namespace

std::string benchmark_table(std::span<const BenchmarkRow> rows, std::size_t width) {
  std::vector<std::vector<std::string>> cells{
      {"what", "N", "p", "rate", "time", "spread", "yardstick", "ratio", "B/agent"}};
  for (const BenchmarkRow& row : rows) {
    const auto shown = [](const std::optional<std::uint64_t>& number) {
      return number ? fmt::format("{}", *number) : "-";
    };
    cells.push_back({row.variant, shown(row.agents), shown(row.dimension),
                     fmt::format("{:.3g} {}/s", 1e9 / row.nanoseconds(), row.unit),
                     time_text(row.nanoseconds()), fmt::format("{:.0f} %", 100 * row.spread()),
                     time_text(row.yardstick_nanoseconds()), fmt::format("{:.3g}", row.ratio()),
                     row.bytes_per_agent ? fmt::format("{:.0f}", *row.bytes_per_agent) : "-"});
  }
  return analysis::align(cells, width, 3);
}

std::string benchmark_json(std::span<const Benchmark* const> benchmarks,
                           std::span<const std::vector<BenchmarkRow>> rows) {
  Json document{{"machine",
                 {{"processor", processor_name()},
                  {"cores", std::thread::hardware_concurrency()},
                  {"memory_bytes", memory_of_machine()},
                  {"system", host()}}},
                {"hearsay",
                 {{"version", build_info::kVersion},
                  {"commit", build_info::kCommit},
                  {"compiler", build_info::kCompiler},
                  {"flags", build_info::kFlags}}},
                {"benchmarks", Json::array()},
                {"peak_memory_bytes", peak_of_benchmarks()}};
  for (std::size_t b = 0; b < benchmarks.size(); ++b) {
    Json all = Json::array();
    for (const BenchmarkRow& row : rows[b]) all.push_back(row_json(row));
    document["benchmarks"].push_back({{"name", benchmarks[b]->name},
                                      {"help", benchmarks[b]->help},
                                      {"yardstick", benchmarks[b]->yardstick},
                                      {"rows", all}});
  }
  return document.dump(2) + "\n";
}

}  // namespace hearsay::scenarios
