#include "analysis/tables.hpp"

#include "analysis/output_file.hpp"

namespace hearsay::analysis {

namespace {

std::string header_of(const StudyResult& study) {
  std::string header;
  for (const std::string& axis : study.axes) header += csv_field(axis) + ",";
  return header;
}

std::string labels_of(const PointResult& point) {
  std::string labels;
  for (const std::string& label : point.labels) labels += csv_field(label) + ",";
  return labels;
}

// Calls f(metric, agent as text, value) for every number of one mark.
template <class F>
void each_value(const StudyResult& study, const PointResult& point, const double* values, F&& f) {
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

void write_series(const StudyResult& study, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}repetition,metric,agent,iteration,time_s,vectors,bytes,value\n", header_of(study));
  for (const RunResult& run : study.runs) {
    const PointResult& point = study.points[run.point];
    const std::string labels = labels_of(point);
    const std::size_t marks = run.series.marks.size();
    const std::size_t width = marks == 0 ? 0 : run.series.values.size() / marks;
    for (std::size_t k = 0; k < marks; ++k) {
      const Mark& mark = run.series.marks[k];
      each_value(study, point, run.series.values.data() + k * width,
                 [&](const Metric& metric, const std::string& agent, double value) {
                   file.print("{}{},{},{},{},{},{},{},{}\n", labels, run.repetition, metric.name, agent,
                              mark.iteration, mark.time, mark.vectors, mark.bytes, value);
                 });
    }
  }
  file.commit();
}

void write_scalars(const StudyResult& study, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}repetition,name,agent,value\n", header_of(study));
  for (const PointResult& point : study.points) {
    for (const Scalar& s : point.scalars) {
      file.print("{},{},{},{}\n", labels_of(point), s.name, s.agent ? fmt::format("{}", *s.agent) : "",
                 s.value);
    }
  }
  for (const RunResult& run : study.runs) {
    const PointResult& point = study.points[run.point];
    const std::string labels = labels_of(point);
    for (const Scalar& s : run.scalars) {
      file.print("{}{},{},{},{}\n", labels, run.repetition, s.name,
                 s.agent ? fmt::format("{}", *s.agent) : "", s.value);
    }
    if (run.series.marks.empty()) continue;
    const std::size_t width = run.series.values.size() / run.series.marks.size();
    each_value(study, point, run.series.values.data() + run.series.values.size() - width,
               [&](const Metric& metric, const std::string& agent, double value) {
                 file.print("{}{},{},{},{}\n", labels, run.repetition, metric.name, agent, value);
               });
  }
  file.commit();
}

void write_runs(const StudyResult& study, const std::filesystem::path& path) {
  OutputFile file(path);
  file.print("{}repetition,status,end,iterations,time_s,events,messages,delivered,vectors,bytes",
             header_of(study));
  for (int r = 0; r < sim::kLossReasons; ++r)
    file.print(",lost_{}", sim::name(static_cast<sim::LossReason>(r)));
  file.print(",fingerprint,message\n");
  for (const RunResult& run : study.runs) {
    const sim::Traffic& t = run.traffic;
    file.print("{}{},{},{},{},{},{},{},{},{},{}", labels_of(study.points[run.point]), run.repetition,
               name(run.status), name(run.end), run.iterations, run.time, run.events, t.messages, t.delivered,
               t.vectors, t.bytes);
    for (const std::uint64_t lost : t.lost) file.print(",{}", lost);
    file.print(",{:016x},{}\n", run.fingerprint, csv_field(run.message));
  }
  file.commit();
}

}  // namespace hearsay::analysis
