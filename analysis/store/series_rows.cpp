#include "analysis/store/series_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/store/output_file.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kRepetitions = "@repetition";
constexpr std::array<std::string_view, 5> kSampleColumns{"@iteration", "@time_s", "@vectors", "@bytes",
                                                         "@messages"};

[[noreturn]] void damaged(const Database& database, std::string_view what, std::int64_t id) {
  throw OutputError(fmt::format("{}: damaged: {} {}", database.path().string(), what, id));
}

// A whole number that is stored as a double; nothing for others.
template <class Whole>
std::optional<Whole> whole(double number) {
  constexpr double kEnd = 2.0 * static_cast<double>(Whole{1} << (std::numeric_limits<Whole>::digits - 1));
  if (!(number >= 0 && number < kEnd)) return std::nullopt;
  return static_cast<Whole>(number);
}

// From numbers in the order of Sample::numbers(); nothing if a count is none.
std::optional<Sample> sample_of(const std::array<double, kSampleColumns.size()>& numbers) {
  const auto count = [&](std::size_t n) { return whole<std::uint64_t>(numbers[n]); };
  if (!count(0) || !count(2) || !count(3) || !count(4)) return std::nullopt;
  return Sample{*count(0), numbers[1], *count(2), *count(3), *count(4)};
}

}  // namespace

Series read_series(Database& database, std::int64_t run, std::size_t width) {
  Series series;
  const auto samples = database.first<std::vector<double>>("SELECT data FROM sample WHERE run = ?", run)
                           .value_or(std::vector<double>());
  if (samples.empty()) return series;
  std::array<double, kSampleColumns.size()> numbers{};
  for (std::size_t k = 0; k + numbers.size() <= samples.size(); k += numbers.size()) {
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(k), numbers.size(), numbers.begin());
    const auto sample = sample_of(numbers);
    if (!sample) damaged(database, "series of run", run);
    series.samples.push_back(*sample);
  }
  // Checked before memory is taken for them: the width is that of the metrics, which are stored elsewhere.
  const auto columns = database.first<std::int64_t>("SELECT count(*) FROM series WHERE run = ?", run);
  if (static_cast<std::size_t>(columns.value_or(0)) != width) damaged(database, "series of run", run);
  series.values.resize(series.samples.size() * width);
  Statement& rows = database.prepared("SELECT data FROM series WHERE run = ? ORDER BY rowid")(run);
  for (std::size_t c = 0; rows.step(); ++c) {
    const auto column = rows.get<std::vector<double>>(0);
    if (column.size() != series.samples.size()) damaged(database, "series of run", run);
    for (std::size_t k = 0; k < column.size(); ++k) series.values[k * width + c] = column[k];
  }
  return series;
}

void write_series(Database& database, std::int64_t run, const std::vector<MetricInfo>& metrics,
                  const SeriesLayout& layout, const Series& series) {
  if (series.samples.empty()) return;
  const std::size_t samples = series.samples.size(), width = layout.width();
  sim::check(series.values.size() == samples * width,
             "a run recorded other numbers than its study's metrics");
  std::vector<double> data;
  for (const Sample& s : series.samples) {
    const auto numbers = s.numbers();
    data.insert(data.end(), numbers.begin(), numbers.end());
  }
  database.execute("INSERT INTO sample (run, data) VALUES (?,?)", run, data);
  data.resize(samples);
  for (std::size_t c = 0; c < width; ++c) {
    const auto [metric, agent] = layout.column(c);
    for (std::size_t k = 0; k < samples; ++k) data[k] = series.values[k * width + c];
    database.execute("INSERT INTO series (run, metric, agent, data) VALUES (?,?,?,?)", run,
                     metrics[metric].name, agent, data);
  }
}

void erase_series(Database& database, std::int64_t run) {
  database.execute("DELETE FROM sample WHERE run = ?", run);
  database.execute("DELETE FROM series WHERE run = ?", run);
}

SeriesByRepetition read_together(Database& database, std::int64_t point, std::int64_t record,
                                 std::size_t width) {
  SeriesByRepetition all;
  std::vector<Series*> runs;
  std::vector<std::vector<double>> samples;  // of one sample: its numbers in every repetition
  std::size_t c = width;                     // numbers of the sample so far
  Statement& rows = database.prepared(
      "SELECT metric, data FROM aggregate WHERE point = ? AND record = ? ORDER BY rowid")(point, record);
  while (rows.step()) {
    const auto name = rows.get<std::string>(0);
    const auto data = rows.get<std::vector<double>>(1);
    if (name == kRepetitions) {
      if (!runs.empty()) damaged(database, "aggregate of point", point);
      for (const double r : data) {
        const auto repetition = whole<std::uint32_t>(r);
        if (!repetition || !all.try_emplace(*repetition).second)
          damaged(database, "aggregate of point", point);
      }
      for (auto& [repetition, series] : all) runs.push_back(&series);
      continue;
    }
    if (data.size() != runs.size()) damaged(database, "aggregate of point", point);
    const bool of_sample = name.starts_with('@');
    if (of_sample) {
      if (samples.size() == kSampleColumns.size()) samples.clear();
      if (c != width) damaged(database, "aggregate of point", point);
      samples.push_back(data);
      if (samples.size() < kSampleColumns.size()) continue;
      c = 0;
    } else if (c == width || samples.size() < kSampleColumns.size()) {
      damaged(database, "aggregate of point", point);
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (std::isnan(samples[1][r])) continue;  // the run had ended
      std::vector<double>& values = runs[r]->values;
      if (of_sample) {
        std::array<double, kSampleColumns.size()> numbers{};
        for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = samples[n][r];
        const auto sample = sample_of(numbers);
        if (!sample) damaged(database, "aggregate of point", point);
        runs[r]->samples.push_back(*sample);
      } else {
        values.push_back(data[r]);
      }
    }
    c += of_sample ? 0 : 1;
  }
  if (c != width) damaged(database, "aggregate of point", point);
  return all;
}

void write_together(Database& database, std::int64_t point, std::int64_t record,
                    const std::vector<MetricInfo>& metrics, const SeriesLayout& layout,
                    const SeriesByRepetition& all) {
  database.execute("DELETE FROM aggregate WHERE point = ? AND record = ?", point, record);
  Statement& insert = database.prepared(
      "INSERT INTO aggregate (point, record, number, metric, agent, data) VALUES (?,?,?,?,?,?)");
  std::vector<double> data;
  std::size_t samples = 0;
  for (const auto& [repetition, series] : all) {
    data.push_back(repetition);
    samples = std::max(samples, series.samples.size());
  }
  insert(point, record, 0, kRepetitions, std::nullopt, data).execute();
  // One row: value(series) of every repetition that has sample k.
  const auto put = [&](std::size_t k, std::string_view name, std::optional<sim::AgentId> agent,
                       auto&& value) {
    data.clear();
    for (const auto& [repetition, series] : all)
      data.push_back(k < series.samples.size() ? value(series) : kAbsent);
    insert(point, record, k, name, agent, data).execute();
  };
  for (std::size_t k = 0; k < samples; ++k) {
    for (std::size_t n = 0; n < kSampleColumns.size(); ++n)
      put(k, kSampleColumns[n], {}, [&](const Series& s) { return s.samples[k].numbers()[n]; });
    for (std::size_t c = 0; c < layout.width(); ++c) {
      const SeriesLayout::Column column = layout.column(c);
      put(k, metrics[column.metric].name, column.agent,
          [&](const Series& s) { return s.values[k * layout.width() + c]; });
    }
  }
}

}  // namespace hearsay::analysis
