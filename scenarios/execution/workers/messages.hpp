#pragma once
// What the processes of a study tell each other, and how it is written (cereal).
#include <cereal/types/set.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/execution/workers/workers.hpp"
#include "scenarios/study/errors.hpp"
#include "sim/check.hpp"
#include "sim/state/archive.hpp"

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
namespace cereal {

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::PointTask& value) {
  auto& [point, describe] = value;
  ar(point, describe);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::RunTask& value) {
  auto& [point, repetition] = value;
  ar(point, repetition);
}

template <class Archive>
void serialize(Archive& ar, hearsay::sim::Traffic& value) {
  hearsay::sim::plain(ar, value);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Order& value) {
  auto& [kind, digest, validation, chosen, repetitions, first, points, runs] = value;
  ar(kind, digest, validation, chosen, repetitions, first, points, runs);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Scalar& value) {
  auto& [name, agent, number] = value;
  ar(name, agent, number);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::AgentModel& value) {
  auto& [agent, parameters] = value;
  ar(agent, parameters);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::RunResult& value) {
  auto& [point, repetition, status, message, end, fingerprint, events, iterations, time, traffic, series,
         scalars, models, wall, host] = value;
  ar(point, repetition, status, message, end, fingerprint, events, iterations, time, traffic, series, scalars,
     models, wall, host);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::PointResult& value) {
  auto& [labels, tuned, scalars, unaccounted, notes, owners, first_owner] = value;
  ar(labels, tuned, scalars, unaccounted, notes, owners, first_owner);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::OwnerFacts& value) {
  auto& [name, records, test_records, epsilon, delta, hostile, learner, group] = value;
  ar(name, records, test_records, epsilon, delta, hostile, learner, group);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph::Node& value) {
  auto& [name, x, y] = value;
  ar(name, x, y);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph::Link& value) {
  auto& [source, target, weight, latency, return_latency, length] = value;
  ar(source, target, weight, latency, return_latency, length);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::NetworkGraph& value) {
  auto& [nodes, links, geographic] = value;
  ar(nodes, links, geographic);
}

template <class Archive>
void serialize(Archive& ar, hearsay::analysis::Participants& value) {
  auto& [owners, network, parameters] = value;
  ar(owners, network, parameters);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::PointDescription& value) {
  auto& [point, participants] = value;
  ar(point, participants);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Failure& value) {
  auto& [task, error] = value;
  std::string text = error.what();
  ar(task, error.kind, error.where, error.point, text);
  hearsay::sim::Error whole(error.kind, error.where, text);
  whole.point = error.point;
  error = whole;
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report::Assembled& value) {
  auto& [task, description] = value;
  ar(task, description);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report::Made& value) {
  auto& [task, run] = value;
  ar(task, run);
}

template <class Archive>
void serialize(Archive& ar, hearsay::scenarios::Report& value) {
  auto& [assembled, made, failures, busy, planned, host, threads, ended] = value;
  ar(assembled, made, failures, busy, planned, host, threads, ended);
}

}  // namespace cereal

namespace hearsay::scenarios {

template <class Message>
std::string packed(const Message& message) {
  std::ostringstream text;
  cereal::BinaryOutputArchive archive(text);
  archive(message);
  return std::move(text).str();
}
template <class Message>
Message unpacked(const std::string& text) {
  std::istringstream in(text);
  cereal::BinaryInputArchive archive(in);
  Message message;
  archive(message);
  return message;
}

}  // namespace hearsay::scenarios
