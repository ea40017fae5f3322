#include "analysis/results/tables/export.hpp"

#include "analysis/results/tables/output_file.hpp"
#include "analysis/results/tables/quantile_rows.hpp"
#include "analysis/results/tables/summary.hpp"
#include "sim/events/fingerprint.hpp"

namespace hearsay::analysis {

namespace {

class Tables {
 public:
  Tables(const StudyHead& study, const std::filesystem::path& folder)
      : study_(study),
        series_(folder / (study.aggregate ? "quantiles.csv" : "series.csv")),
        scalars_(folder / "scalars.csv"),
        runs_(folder / "runs.csv") {
    const std::string axes = csv_prefix(study.axes);
    series_.print(
        "{}{}\n", axes,
        study.aggregate ? kQuantileColumns : "repetition,metric,agent,iteration,time_s,vectors,bytes,value");
    scalars_.print("{}repetition,name,agent,value\n", axes);
    runs_.print("{}repetition,status,end,iterations,time_s,events,messages,delivered,vectors,bytes", axes);
    for (int r = 0; r < sim::kLossReasons; ++r)
      runs_.print(",lost_{}", sim::name(static_cast<sim::LossReason>(r)));
    runs_.print(",fingerprint,message\n");
  }

  // Begins a point; its runs follow.
  void add(const PointResult& point) {
    end_point();
    layout_ = study_.layout(point);
    axes_ = csv_prefix(point.labels);
    add_scalars(axes_ + ",", point.scalars);
  }
  void add(const RunResult& run) {
    const std::string prefix = fmt::format("{}{},", axes_, run.repetition);
    if (!study_.aggregate) {
      for (std::size_t k = 0; k < run.series.samples.size(); ++k) add_sample(prefix, run.series, k);
    } else if (run.status == Status::kDone) {
      together_.push_back(run.series);
    }
    add_scalars(prefix, run.scalars);
    if (const std::size_t samples = run.series.samples.size(); samples > 0) {
      each_value(run.series, samples - 1,
                 [&](const std::string& name, const std::string& agent, double value) {
                   scalars_.print("{}{},{},{}\n", prefix, name, agent, value);
                 });
    }
    const sim::Traffic& t = run.traffic;
    runs_.print("{}{},{},{},{},{},{},{},{},{}", prefix, name(run.status), name(run.end), run.iterations,
                run.time, run.events, t.messages, t.delivered, t.vectors, t.bytes);
    for (const std::uint64_t lost : t.lost) runs_.print(",{}", lost);
    runs_.print(",{:016x},{}\n", run.fingerprint, csv_field(run.message));
  }
  void commit() {
    end_point();
    series_.commit();
    scalars_.commit();
    runs_.commit();
  }

 private:
  void end_point() {
    if (study_.aggregate) write_quantiles(series_, study_, layout_, axes_, together_);
    together_.clear();
  }
  void add_scalars(const std::string& prefix, const std::vector<Scalar>& scalars) {
    for (const Scalar& s : scalars)
      scalars_.print("{}{},{},{}\n", prefix, csv_field(s.name), agent_text(s.agent), s.value);
  }
  void add_sample(const std::string& prefix, const Series& series, std::size_t k) {
    const Sample& s = series.samples[k];
    const std::string where = fmt::format("{},{},{},{}", s.iteration, s.time, s.vectors, s.bytes);
    each_value(series, k, [&](const std::string& name, const std::string& agent, double value) {
      series_.print("{}{},{},{},{}\n", prefix, name, agent, where, value);
    });
  }
  // Calls f(metric, agent as text, value) for every value of sample k.
  template <class F>
  void each_value(const Series& series, std::size_t k, F&& f) const {
    const auto values = layout_.sample(series, k);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const auto [metric, agent] = layout_.column(c);
      f(study_.metrics[metric].name, agent_text(agent), values[c]);
    }
  }

  const StudyHead& study_;
  OutputFile series_, scalars_, runs_;
  SeriesLayout layout_;           // of the point
  std::string axes_;              // of the point
  std::vector<Series> together_;  // of the point, where they are stored together
};

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
  Tables tables(study.head(), folder);
  Summary summary(study.head());
  Exported out;
  Totals& totals = out.totals;
  sim::Fingerprint fingerprint;

  // A point's own numbers come before its runs, also those of a point that has none yet.
  const auto begin_point = [&](const PointResult& point) {
    tables.add(point);
    summary.add(point);
    totals.unaccounted.insert(point.unaccounted.begin(), point.unaccounted.end());
    totals.notes.insert(point.notes.begin(), point.notes.end());
    ++totals.points;
  };
  study.each_run(begin_point, [&](const PointResult& point, const RunResult& run) {
    tables.add(run);
    summary.add(point, run);
    count(totals, run);
    fingerprint.add(0, run.fingerprint, static_cast<sim::AgentId>(run.point), run.repetition);
  });
  totals.fingerprint = fingerprint.value();
  out.summary = summary.text();
  tables.commit();
  return out;
}

}  // namespace hearsay::analysis
