#include "analysis/results/series_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/results/output_file.hpp"

namespace hearsay::analysis {

namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kRepetitions = "@repetition";
constexpr std::array<std::string_view, 4> kMarks{"@iteration", "@time_s", "@vectors", "@bytes"};

[[noreturn]] void damaged(const Database& database, std::string_view what, std::int64_t id) {
  throw OutputError(fmt::format("{}: is damaged: {} {}", database.path().string(), what, id));
}

Mark mark_of(const double* four) {
  return {static_cast<std::uint64_t>(four[0]), four[1], static_cast<std::uint64_t>(four[2]),
          static_cast<std::uint64_t>(four[3])};
}

std::array<double, 4> numbers_of(const Mark& m) {
  return {static_cast<double>(m.iteration), m.time, static_cast<double>(m.vectors),
          static_cast<double>(m.bytes)};
}

}  // namespace

std::size_t width_of(const StudyHead& study, std::size_t owners) {
  std::size_t width = 0;
  for (const Metric* m : study.metrics) width += m->size(owners);
  return width;
}

RunSeriesRows::RunSeriesRows(Database& database)
    : database_(database),
      mark_(database, "SELECT data FROM mark WHERE run = ?"),
      series_(database, "SELECT data FROM series WHERE run = ? ORDER BY rowid"),
      forget_marks_(database, "DELETE FROM mark WHERE run = ?"),
      forget_series_(database, "DELETE FROM series WHERE run = ?") {}

Series RunSeriesRows::read(std::int64_t run, std::size_t width) {
  Series series;
  if (!mark_.bind(1, run).step()) return series;
  const std::vector<double> marks = mark_.numbers(0);
  mark_.reset();
  for (std::size_t k = 0; k + 4 <= marks.size(); k += 4) series.marks.push_back(mark_of(&marks[k]));
  series.values.resize(series.marks.size() * width);
  std::size_t c = 0;
  series_.bind(1, run);
  while (series_.step()) {
    const std::vector<double> column = series_.numbers(0);
    if (c == width || column.size() != series.marks.size()) damaged(database_, "series of run", run);
    for (std::size_t k = 0; k < column.size(); ++k) series.values[k * width + c] = column[k];
    ++c;
  }
  if (c != width) damaged(database_, "series of run", run);
  return series;
}

void RunSeriesRows::forget(std::int64_t run) {
  forget_marks_.bind(1, run).execute();
  forget_series_.bind(1, run).execute();
}

AggregateRows::AggregateRows(Database& database)
    : database_(database),
      select_(database,
              "SELECT metric, number, data FROM aggregate WHERE point = ? AND record = ? ORDER BY rowid"),
      insert_(database,
              "INSERT INTO aggregate (point, record, number, metric, agent, data) VALUES (?,?,?,?,?,?)"),
      forget_(database, "DELETE FROM aggregate WHERE point = ? AND record = ?") {}

SeriesByRepetition AggregateRows::read(std::int64_t point, std::int64_t record, std::size_t width) {
  SeriesByRepetition all;
  std::vector<Series*> runs;
  std::vector<std::vector<double>> marks;  // of one record: four numbers of every repetition
  std::size_t c = 0;                       // metrics of the record so far
  select_.bind(1, point).bind(2, record);
  while (select_.step()) {
    const std::string name = select_.text(0);
    std::vector<double> data = select_.numbers(2);
    if (name == kRepetitions) {
      for (const double r : data) all[static_cast<std::uint32_t>(r)];
      for (auto& [repetition, series] : all) runs.push_back(&series);
      continue;
    }
    if (data.size() != runs.size()) damaged(database_, "aggregate of point", point);
    if (name.starts_with('@')) {
      if (marks.size() == kMarks.size()) marks.clear();
      marks.push_back(std::move(data));
      if (marks.size() < kMarks.size()) continue;
      c = 0;
      for (std::size_t r = 0; r < runs.size(); ++r) {
        if (std::isnan(marks[1][r])) continue;  // the run had ended
        const double four[] = {marks[0][r], marks[1][r], marks[2][r], marks[3][r]};
        runs[r]->marks.push_back(mark_of(four));
        runs[r]->values.resize(runs[r]->values.size() + width);
      }
      continue;
    }
    if (c == width || marks.size() < kMarks.size()) damaged(database_, "aggregate of point", point);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      if (std::isnan(marks[1][r])) continue;
      std::vector<double>& values = runs[r]->values;
      values[values.size() - width + c] = data[r];
    }
    ++c;
  }
  return all;
}

void AggregateRows::write(std::int64_t point, std::int64_t record, const StudyHead& study,
                          const PointResult& shape, const SeriesByRepetition& all) {
  forget_.bind(1, point).bind(2, record).execute();
  std::vector<double> data;
  std::size_t records = 0;
  for (const auto& [repetition, series] : all) {
    data.push_back(repetition);
    records = std::max(records, series.marks.size());
  }
  const auto put = [&](std::size_t k, std::string_view name, std::optional<sim::AgentId> agent) {
    insert_.bind(1, point).bind(2, record).bind(3, std::uint64_t{k}).bind(4, name);
    agent ? insert_.bind(5, std::int64_t{*agent}) : insert_.bind_null(5);
    insert_.bind(6, std::span<const double>(data)).execute();
  };
  put(0, kRepetitions, {});
  // Makes the row of what `value(series)` is at record k.
  const auto row = [&](std::size_t k, auto&& value) {
    data.clear();
    for (const auto& [repetition, series] : all)
      data.push_back(k < series.marks.size() ? value(series) : kAbsent);
  };
  const std::size_t width = width_of(study, shape.owners);
  for (std::size_t k = 0; k < records; ++k) {
    for (std::size_t n = 0; n < kMarks.size(); ++n) {
      row(k, [&](const Series& s) { return numbers_of(s.marks[k])[n]; });
      put(k, kMarks[n], {});
    }
    std::size_t c = 0;
    for (const Metric* m : study.metrics) {
      for (std::size_t owner = 0; owner < m->size(shape.owners); ++owner, ++c) {
        row(k, [&](const Series& s) { return s.values[k * width + c]; });
        put(k, m->name,
            m->per_agent ? std::optional(shape.first_owner + static_cast<sim::AgentId>(owner))
                         : std::nullopt);
      }
    }
  }
}

}  // namespace hearsay::analysis
