#pragma once
// What the processes of a study tell each other, and how it is serialised (Boost.Serialization).
#include <boost/serialization/set.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "scenarios/execution/workers/workers.hpp"
#include "scenarios/study/errors.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

/// From rank 0 to another.
struct Order {
  enum class Kind : std::uint8_t {
    kPlan,  ///< make the plan that the others have
    kWork,  ///< these tasks, after those ordered before
    kStop,  ///< abort runs and forget tasks until the next plan
    kEnd,
  };
  Kind kind = Kind::kEnd;
  // kPlan
  std::string digest{};
  bool validation = false;
  std::set<std::vector<std::string>> chosen{};
  std::vector<std::uint32_t> repetitions{};
  // kWork: tasks first, first + 1, ... of one of the two kinds
  std::size_t first = 0;
  std::vector<PointTask> points{};
  std::vector<RunTask> runs{};
};

/// What went wrong with a task.
struct Failure {
  std::size_t task = 0;
  sim::Error error{sim::Error::Kind::kInternal, {}, {}};
};

/// From a process that works, such as another rank, to the one that stores: what has been done since its last report.
struct Report {
  struct Assembled {
    std::size_t task = 0;
    std::optional<PointDescription> description{};
  };
  struct Made {
    std::size_t task = 0;
    analysis::RunResult run{};
  };
  std::vector<Assembled> assembled{};
  std::vector<Made> made{};
  std::vector<Failure> failures{};
  double busy = 0;  ///< s
  // In answer to a plan:
  bool planned = false;
  std::string host{};
  unsigned threads = 0;
  bool ended = false;  ///< in answer to kEnd

  bool empty() const { return assembled.empty() && made.empty() && failures.empty() && !planned; }
  std::size_t tasks() const { return assembled.size() + made.size() + failures.size(); }
};

}  // namespace hearsay::scenarios

// Structured bindings name every member, so that a new one cannot be forgotten.
namespace boost::serialization {

template <class Archive, class... Members>
void each(Archive& ar, Members&... members) {
  (ar & ... & members);
}

template <class Archive, class T>
void serialize(Archive& ar, std::optional<T>& value, unsigned) {
  bool there = value.has_value();
  ar& there;
  if (there && !value) value.emplace();
  if (!there) value.reset();
  if (there) ar&* value;
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::PointTask& value, unsigned) {
  auto& [point, describe] = value;
  each(ar, point, describe);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::RunTask& value, unsigned) {
  auto& [point, repetition] = value;
  each(ar, point, repetition);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Order& value, unsigned) {
  auto& [kind, digest, validation, chosen, repetitions, first, points, runs] = value;
  each(ar, kind, digest, validation, chosen, repetitions, first, points, runs);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Sample& value, unsigned) {
  auto& [iteration, time, vectors, bytes, messages] = value;
  each(ar, iteration, time, vectors, bytes, messages);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Series& value, unsigned) {
  auto& [samples, values] = value;
  each(ar, samples, values);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Scalar& value, unsigned) {
  auto& [name, agent, number] = value;
  each(ar, name, agent, number);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::AgentModel& value, unsigned) {
  auto& [agent, parameters] = value;
  each(ar, agent, parameters);
}

template <class Archive>
void serialize(Archive& ar, hearsay::sim::Traffic& value, unsigned) {
  auto& [messages, vectors, bytes, delivered, lost] = value;
  each(ar, messages, vectors, bytes, delivered, lost);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::RunResult& value, unsigned) {
  auto& [point, repetition, status, message, end, fingerprint, events, iterations, time, traffic, series,
         scalars, models, wall, host] = value;
  each(ar, point, repetition, status, message, end, fingerprint, events, iterations, time, traffic, series,
       scalars, models, wall, host);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::PointResult& value, unsigned) {
  auto& [labels, tuned, scalars, unaccounted, notes, owners, first_owner] = value;
  each(ar, labels, tuned, scalars, unaccounted, notes, owners, first_owner);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::OwnerFacts& value, unsigned) {
  auto& [name, records, test_records, epsilon, delta] = value;
  each(ar, name, records, test_records, epsilon, delta);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph::Node& value, unsigned) {
  auto& [name, x, y] = value;
  each(ar, name, x, y);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph::Link& value, unsigned) {
  auto& [source, target, weight, latency, return_latency, length] = value;
  each(ar, source, target, weight, latency, return_latency, length);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph& value, unsigned) {
  auto& [nodes, links, geographic] = value;
  each(ar, nodes, links, geographic);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Participants& value, unsigned) {
  auto& [owners, network, parameters] = value;
  each(ar, owners, network, parameters);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::PointDescription& value, unsigned) {
  auto& [point, participants] = value;
  each(ar, point, participants);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Failure& value, unsigned) {
  auto& [task, error] = value;
  std::string text = error.what();
  each(ar, task, error.kind, error.where, error.point, text);
  hearsay::sim::Error whole(error.kind, error.where, text);
  whole.point = error.point;
  error = whole;
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report::Assembled& value, unsigned) {
  auto& [task, description] = value;
  each(ar, task, description);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report::Made& value, unsigned) {
  auto& [task, run] = value;
  each(ar, task, run);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report& value, unsigned) {
  auto& [assembled, made, failures, busy, planned, host, threads, ended] = value;
  each(ar, assembled, made, failures, busy, planned, host, threads, ended);
}

}  // namespace boost::serialization
