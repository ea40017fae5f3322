#include "analysis/tables/export.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "analysis/store/output_file.hpp"
#include "analysis/tables/note_lines.hpp"
#include "sim/events/fingerprint.hpp"

namespace hearsay::analysis {

namespace {

class Tables {
 public:
  Tables(const StudyHead& study, const AxisColumns& columns, const AxisColumns& tuned,
         const std::filesystem::path& folder)
      : study_(study),
        columns_(columns),
        tuned_(tuned),
        series_(folder / (study.aggregate ? "quantiles.csv" : "series.csv")),
        scalars_(folder / "scalars.csv"),
        runs_(folder / "runs.csv") {
    if (study.models) {
      models_.emplace(folder / "models.csv");
      models_->print("{}repetition,agent,parameter,name,value\n", columns.header());
    }
    const std::string axes = columns.header();
    series_.print("{}{}\n", axes,
                  study.aggregate ? "metric,agent,iteration,time_s,runs,mean,min,q25,median,q75,max"
                                  : "repetition,metric,agent,iteration,time_s,vectors,bytes,value");
    scalars_.print("{}repetition,name,agent,value\n", axes);
    runs_.print("{}repetition,{}status,end,iterations,time_s,events,messages,delivered,vectors,bytes", axes,
                tuned.header());
    for (int r = 0; r < sim::kLossReasons; ++r)
      runs_.print(",lost_{}", sim::name(static_cast<sim::LossReason>(r)));
    runs_.print(",fingerprint,message\n");
  }

  void begin_point(const PointResult& point, std::vector<std::string> parameters) {
    for (std::string& name : parameters) name = csv_field(name);
    parameters_ = std::move(parameters);
    layout_ = study_.layout(point);
    axes_ = columns_.fields(point.labels);
    chosen_ = tuned_.fields(point.tuned);
    add_scalars(axes_ + ",", point.scalars);
  }
  void add(const RunResult& run) {
    const std::string prefix = fmt::format("{}{},", axes_, run.repetition);
    const std::vector<Sample>& samples = run.series.samples;
    for (std::size_t k = 0; k < samples.size() && !study_.aggregate; ++k) {
      const Sample& s = samples[k];
      const std::string where = fmt::format(",{},{},{},{}", s.iteration, s.time, s.vectors, s.bytes);
      write_values(series_, prefix, run.series, k, where);
    }
    if (study_.aggregate && run.status == Status::kDone) together_.push_back(run.series);
    add_scalars(prefix, run.scalars);
    if (!samples.empty()) write_values(scalars_, prefix, run.series, samples.size() - 1, "");
    const sim::Traffic& t = run.traffic;
    runs_.print("{}{}{},{},{},{},{},{},{},{},{},{},{:016x},{}\n", prefix, chosen_, name(run.status),
                name(run.end), run.iterations, run.time, run.events, t.messages, t.delivered, t.vectors,
                t.bytes, fmt::join(t.lost, ","), run.fingerprint, csv_field(run.message));
    for (std::size_t m = 0; models_ && m < run.models.size(); ++m) {
      const auto& [agent, values] = run.models[m];
      for (std::size_t k = 0; k < values.size(); ++k)
        models_->print("{}{},{},{},{}\n", prefix, agent, k, k < parameters_.size() ? parameters_[k] : "",
                       values[k]);
    }
  }
  void end_point() {
    const auto place_of = [&](const Sample& s) {
      return study_.by_time ? s.time : static_cast<double>(s.iteration);
    };
    std::set<double> places;
    for (const Series& run : together_) {
      for (const Sample& s : run.samples) places.insert(place_of(s));
    }
    std::vector<std::size_t> next(together_.size());  // by run: its samples up to the place
    std::vector<double> numbers;
    for (const double place : places) {
      for (std::size_t r = 0; r < next.size(); ++r) {
        const std::vector<Sample>& samples = together_[r].samples;
        while (next[r] < samples.size() && place_of(samples[next[r]]) <= place) ++next[r];
      }
      const std::string where = study_.by_time ? fmt::format(",{}", place) : fmt::format("{},", place);
      for (std::size_t c = 0; c < layout_.width(); ++c) {
        numbers.clear();
        for (std::size_t r = 0; r < next.size(); ++r) {
          if (next[r] > 0) numbers.push_back(layout_.sample(together_[r], next[r] - 1)[c]);
        }
        std::erase_if(numbers, [](double x) { return std::isnan(x); });  // of owners without test records
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
        series_.print("{}{},{},{},{}", axes_, column_text(c), where, numbers.size(),
                      numbers.empty() ? kNone : sum / static_cast<double>(numbers.size()));
        for (const double p : {0.0, 0.25, 0.5, 0.75, 1.0})
          series_.print(",{}", numbers.empty() ? kNone : quantile(numbers, p));
        series_.write("\n");
      }
    }
    together_.clear();
  }
  std::vector<OutputFile*> files() {
    std::vector<OutputFile*> all{&series_, &scalars_, &runs_};
    if (models_) all.push_back(&*models_);
    return all;
  }

 private:
  // "metric,agent"
  std::string column_text(std::size_t c) const {
    const auto [metric, agent] = layout_.column(c);
    return study_.metrics[metric].name + "," + agent_text(agent);
  }
  void add_scalars(const std::string& prefix, const std::vector<Scalar>& scalars) {
    for (const Scalar& s : scalars)
      scalars_.print("{}{},{},{}\n", prefix, csv_field(s.name), agent_text(s.agent), s.value);
  }
  // One row for each value of sample k.
  void write_values(OutputFile& file, const std::string& prefix, const Series& series, std::size_t k,
                    const std::string& where) {
    const auto values = layout_.sample(series, k);
    for (std::size_t c = 0; c < values.size(); ++c)
      file.print("{}{}{},{}\n", prefix, column_text(c), where, values[c]);
  }

  const StudyHead& study_;
  const AxisColumns &columns_, &tuned_;
  OutputFile series_, scalars_, runs_;
  std::optional<OutputFile> models_;
  std::vector<std::string> parameters_;  // their names at the point
  SeriesLayout layout_;                  // of the point
  std::string axes_, chosen_;            // of the point
  std::vector<Series> together_;         // of the point, where they are stored together
};

// An empty field for what is not known.
std::string field_of(double x) {
  return std::isnan(x) ? std::string() : fmt::format("{}", x);
}

void add_network(const NetworkGraph& network, std::size_t number, const std::vector<std::string>& owners,
                 OutputFile& nodes, OutputFile& links) {
  const std::vector<std::uint32_t> degrees = network.degrees();
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const NetworkGraph::Node& n = network.nodes[i];
    nodes.print("{},{},{},{},{},{},{}\n", number, i, csv_field(n.name),
                i < owners.size() ? csv_field(owners[i]) : "", field_of(n.x), field_of(n.y), degrees[i]);
  }
  for (const NetworkGraph::Link& l : network.links)
    links.print("{},{},{},{},{},{},{}\n", number, l.source, l.target, l.weight, l.latency, l.return_latency,
                field_of(l.length));
}

}  // namespace

ParticipantTables::ParticipantTables(const std::filesystem::path& folder)
    : owners_(folder / "owners.csv"), nodes_(folder / "nodes.csv"), links_(folder / "links.csv") {}

void ParticipantTables::write(StoredStudy& study, const AxisColumns& columns) {
  owners_.print("{}network,agent,name,records,test_records,epsilon,delta,hostile\n", columns.header());
  nodes_.write("network,agent,name,owner,x,y,degree\n");
  links_.write("network,source,target,weight,latency_s,return_latency_s,length_m\n");
  std::map<std::int64_t, std::size_t> numbers;  // by number in the store, in order of points
  for (std::size_t p = 0; p < study.points(); ++p) {
    const PointResult point = study.point(p);
    const std::vector<OwnerFacts> facts = study.owners(p);
    const auto stored = study.network_number(p);
    std::string network;
    if (stored) {
      const auto [found, is_new] = numbers.try_emplace(*stored, numbers.size());
      network = std::to_string(found->second);
      if (is_new)
        add_network(study.network(*stored), found->second, agent_names(facts, point.first_owner), nodes_,
                    links_);
    }
    const std::string prefix = columns.fields(point.labels) + network;
    for (std::size_t j = 0; j < facts.size(); ++j) {
      const OwnerFacts& o = facts[j];
      owners_.print("{},{},{},{},{},{},{},{}\n", prefix, point.first_owner + j, csv_field(o.name), o.records,
                    o.test_records, field_of(o.epsilon), field_of(o.delta), o.hostile ? 1 : 0);
    }
  }
}

Exported export_tables(StoredStudy& study, const std::filesystem::path& folder, const LabelNumber& number) {
  std::vector<std::vector<std::string>> labels, chosen;
  for (std::size_t p = 0; p < study.points(); ++p) {
    PointResult point = study.point(p);
    labels.push_back(std::move(point.labels));
    chosen.push_back(std::move(point.tuned));
  }
  const AxisColumns columns(study.head().axes, labels, number), tuned(study.head().tuned, chosen, number);
  Tables tables(study.head(), columns, tuned, folder);
  Exported out;
  Totals& totals = out.totals;
  std::size_t* const by_status[] = {&totals.done, &totals.diverged, &totals.failed, &totals.interrupted};
  sim::Fingerprint fingerprint;
  NoteLines notes(study.head());
  for (std::size_t p = 0; p < study.points(); ++p) {
    const PointResult point = study.point(p);
    PointCollector collector(study.head(), point);
    tables.begin_point(point, study.head().models ? study.parameters(p) : std::vector<std::string>());
    std::size_t runs = 0, suspicious = 0;  // of the point; those that are done, but with a warning
    std::string first_warning;
    study.runs(p, [&](const RunResult& run) {
      tables.add(run);
      collector.add(run);
      ++totals.runs, ++runs;
      if (run.status == Status::kDone && !run.message.empty() && suspicious++ == 0)
        first_warning = run.message;
      ++*by_status[static_cast<std::size_t>(run.status)];
      const bool bad = run.status == Status::kDiverged || run.status == Status::kFailed;
      if (bad && totals.problem.empty())
        totals.problem = fmt::format("point {}, repetition {}: {}", run.point, run.repetition, run.message);
      totals.events += run.events;
      totals.wall += run.wall;
      fingerprint.add(0, run.fingerprint, static_cast<sim::AgentId>(run.point), run.repetition);
    });
    tables.end_point();
    out.points.push_back(collector.summary());
    totals.unaccounted.insert(point.unaccounted.begin(), point.unaccounted.end());
    notes.begin_point(point.labels);
    for (const std::string& note : point.notes) notes.add(note);
    if (suspicious > 0) notes.add("warning: " + first_warning, suspicious, runs);
  }
  totals.notes = notes.lines();
  totals.points = out.points.size();
  totals.fingerprint = fingerprint.value();
  ParticipantTables participants(folder);
  participants.write(study, columns);
  std::vector<OutputFile*> files = tables.files();
  std::ranges::copy(participants.files(), std::back_inserter(files));
  commit(files);
  return out;
}

}  // namespace hearsay::analysis
