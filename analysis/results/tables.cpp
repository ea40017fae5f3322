#include "analysis/results/tables.hpp"

namespace hearsay::analysis {

std::string axes_header(const StudyHead& study) {
  std::string header;
  for (const std::string& axis : study.axes) header += csv_field(axis) + ",";
  return header;
}

std::string axes_labels(const PointResult& point) {
  std::string labels;
  for (const std::string& label : point.labels) labels += csv_field(label) + ",";
  return labels;
}

namespace {

std::string agent_text(const std::optional<sim::AgentId>& agent) {
  return agent ? fmt::format("{}", *agent) : "";
}

// Calls f(metric, agent as text, value) for every number of one mark.
template <class F>
void each_value(const StudyHead& study, const PointResult& point, const double* values, F&& f) {
  for (const Metric* m : study.metrics) {
    if (!m->per_agent) {
      f(*m, std::string(), *values++);
      continue;
    }
    for (std::size_t owner = 0; owner < point.owners; ++owner)
      f(*m, fmt::format("{}", point.first_owner + owner), *values++);
  }
}

}  // namespace

SeriesTable::SeriesTable(const StudyHead& study, const std::filesystem::path& path)
    : study_(study), file_(path) {
  file_.print("{}repetition,metric,agent,iteration,time_s,vectors,bytes,value\n", axes_header(study));
}

void SeriesTable::add(const PointResult& point, const RunResult& run) {
  const std::string prefix = fmt::format("{}{},", axes_labels(point), run.repetition);
  const std::size_t marks = run.series.marks.size();
  const std::size_t width = marks == 0 ? 0 : run.series.values.size() / marks;
  for (std::size_t k = 0; k < marks; ++k) {
    const Mark& mark = run.series.marks[k];
    const std::string where = fmt::format("{},{},{},{}", mark.iteration, mark.time, mark.vectors, mark.bytes);
    each_value(study_, point, run.series.values.data() + k * width,
               [&](const Metric& metric, const std::string& agent, double value) {
                 file_.print("{}{},{},{},{}\n", prefix, metric.name, agent, where, value);
               });
  }
}

ScalarTable::ScalarTable(const StudyHead& study, const std::filesystem::path& path)
    : study_(study), file_(path) {
  file_.print("{}repetition,name,agent,value\n", axes_header(study));
}

void ScalarTable::add(const PointResult& point) {
  const std::string labels = axes_labels(point);
  for (const Scalar& s : point.scalars) {
    file_.print("{},{},{},{}\n", labels, csv_field(s.name), agent_text(s.agent), s.value);
  }
}

void ScalarTable::add(const PointResult& point, const RunResult& run) {
  const std::string prefix = fmt::format("{}{},", axes_labels(point), run.repetition);
  for (const Scalar& s : run.scalars) {
    file_.print("{}{},{},{}\n", prefix, csv_field(s.name), agent_text(s.agent), s.value);
  }
  if (run.series.marks.empty()) return;
  const std::size_t width = run.series.values.size() / run.series.marks.size();
  each_value(study_, point, run.series.values.data() + run.series.values.size() - width,
             [&](const Metric& metric, const std::string& agent, double value) {
               file_.print("{}{},{},{}\n", prefix, metric.name, agent, value);
             });
}

RunTable::RunTable(const StudyHead& study, const std::filesystem::path& path) : file_(path) {
  file_.print("{}repetition,status,end,iterations,time_s,events,messages,delivered,vectors,bytes",
              axes_header(study));
  for (int r = 0; r < sim::kLossReasons; ++r)
    file_.print(",lost_{}", sim::name(static_cast<sim::LossReason>(r)));
  file_.print(",fingerprint,message\n");
}

void RunTable::add(const PointResult& point, const RunResult& run) {
  const sim::Traffic& t = run.traffic;
  file_.print("{}{},{},{},{},{},{},{},{},{},{}", axes_labels(point), run.repetition, name(run.status),
              name(run.end), run.iterations, run.time, run.events, t.messages, t.delivered, t.vectors,
              t.bytes);
  for (const std::uint64_t lost : t.lost) file_.print(",{}", lost);
  file_.print(",{:016x},{}\n", run.fingerprint, csv_field(run.message));
}

}  // namespace hearsay::analysis
