#include "analysis/results/export.hpp"

#include <optional>

#include "analysis/results/quantile_table.hpp"
#include "analysis/conclusions/summary.hpp"
#include "analysis/results/tables.hpp"
#include "sim/engine/fingerprint.hpp"

namespace hearsay::analysis {

namespace {

void count(Totals& totals, const RunResult& run) {
  ++totals.runs;
  totals.done += run.status == Status::kDone ? 1u : 0u;
  totals.diverged += run.status == Status::kDiverged ? 1u : 0u;
  totals.failed += run.status == Status::kFailed ? 1u : 0u;
  totals.interrupted += run.status == Status::kInterrupted ? 1u : 0u;
  totals.events += run.events;
  totals.wall += run.wall;
}

}  // namespace

Exported export_tables(StoredStudy& study, const std::filesystem::path& folder) {
  std::optional<SeriesTable> series;
  std::optional<QuantileTable> quantiles;
  if (study.head().aggregate) {
    quantiles.emplace(study.head(), folder / "quantiles.csv");
  } else {
    series.emplace(study.head(), folder / "series.csv");
  }
  ScalarTable scalars(study.head(), folder / "scalars.csv");
  RunTable runs(study.head(), folder / "runs.csv");
  Summary summary(study.head());
  Exported out;
  Totals& totals = out.totals;
  sim::Fingerprint fingerprint;

  // A point's own numbers come before its runs, also those of a point that has none yet.
  const auto begin_point = [&](const PointResult& point) {
    scalars.add(point);
    if (quantiles) quantiles->add(point);
    summary.add(point);
    totals.unprivate.insert(point.unprivate.begin(), point.unprivate.end());
    totals.notes.insert(point.notes.begin(), point.notes.end());
    ++totals.points;
  };
  study.each_run(begin_point, [&](const PointResult& point, const RunResult& run) {
    if (series) series->add(point, run);
    if (quantiles) quantiles->add(run);
    scalars.add(point, run);
    runs.add(point, run);
    summary.add(point, run);
    count(totals, run);
    fingerprint.add(0, run.fingerprint, static_cast<sim::AgentId>(run.point), run.repetition);
  });
  totals.fingerprint = fingerprint.value();
  out.summary = summary.text();
  if (series) series->commit();
  if (quantiles) quantiles->commit();
  scalars.commit();
  runs.commit();
  return out;
}

}  // namespace hearsay::analysis
