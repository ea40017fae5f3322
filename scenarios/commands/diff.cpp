// hearsay diff: the first run, number and event in which two studies differ.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "analysis/trace/trace_difference.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/execution/study_difference.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/check.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::scenarios {

namespace {

// Equal bits, or both NaN.
bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

std::string of_agent(std::optional<sim::AgentId> agent) {
  return agent ? fmt::format(" of agent {}", *agent) : "";
}

// The first number, in the order of names and agents, that is not the same in both; empty if there is none.
std::string scalar_difference(const std::vector<analysis::Scalar>& a,
                              const std::vector<analysis::Scalar>& b) {
  using Numbers = std::map<std::pair<std::string, std::optional<sim::AgentId>>, double>;
  Numbers first, second;
  for (const analysis::Scalar& s : a) first.emplace(std::pair(s.name, s.agent), s.value);
  for (const analysis::Scalar& s : b) second.emplace(std::pair(s.name, s.agent), s.value);
  Numbers all = first;
  all.insert(second.begin(), second.end());
  for (const auto& number : all) {
    const auto x = first.find(number.first), y = second.find(number.first);
    if (x != first.end() && y != second.end() && same(x->second, y->second)) continue;
    return fmt::format("  {}{}: {} and {}\n", number.first.first, of_agent(number.first.second),
                       x == first.end() ? "none" : fmt::format("{}", x->second),
                       y == second.end() ? "none" : fmt::format("{}", y->second));
  }
  return "";
}

// The first parameter of a model that is not the same in both; empty if there is none, or if one has not kept models.
std::string model_difference(const std::vector<analysis::AgentModel>& a,
                             const std::vector<analysis::AgentModel>& b) {
  if (a.empty() || b.empty()) return "";
  if (a.size() != b.size()) return fmt::format("  models: {} and {}\n", a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    const std::vector<double>&x = a[m].parameters, &y = b[m].parameters;
    if (a[m].agent != b[m].agent || x.size() != y.size())
      return fmt::format("  models: {} parameters{} and {}{}\n", x.size(), of_agent(a[m].agent), y.size(),
                         of_agent(b[m].agent));
    const auto k = std::mismatch(x.begin(), x.end(), y.begin(), same).first - x.begin();
    if (k < std::ssize(x))
      return fmt::format("  parameter {} of the model{}: {} and {}\n", k, of_agent(a[m].agent),
                         x[static_cast<std::size_t>(k)], y[static_cast<std::size_t>(k)]);
  }
  return "";
}

// The first difference between two runs of the same point and repetition; empty if there is none.
std::string difference(const analysis::StudyHead& head, const analysis::PointResult& point,
                       const analysis::RunResult& a, const analysis::RunResult& b) {
  std::string text;
  if (a.status != b.status) text += fmt::format("  status: {} and {}\n", name(a.status), name(b.status));
  if (a.fingerprint != b.fingerprint)
    text += fmt::format("  fingerprint: {:016x} and {:016x}\n", a.fingerprint, b.fingerprint);
  if (a.events != b.events) text += fmt::format("  events: {} and {}\n", a.events, b.events);
  const analysis::SeriesLayout layout = head.layout(point);
  const auto &first = a.series.samples, &second = b.series.samples;
  for (std::size_t k = 0; k < std::min(first.size(), second.size()); ++k) {
    const analysis::Sample &x = first[k], &y = second[k];
    if (x.iteration != y.iteration || !same(x.time, y.time) || x.vectors != y.vectors || x.bytes != y.bytes) {
      return text + fmt::format("  sample {}: iteration {} at {} s and iteration {} at {} s\n", k,
                                x.iteration, x.time, y.iteration, y.time);
    }
    const auto u = layout.sample(a.series, k), v = layout.sample(b.series, k);
    for (std::size_t c = 0; c < layout.width(); ++c) {
      if (same(u[c], v[c])) continue;
      const auto [metric, owner] = layout.column(c);
      return text + fmt::format("  {}{} at iteration {}: {} and {}\n", head.metrics[metric].name,
                                of_agent(owner), x.iteration, u[c], v[c]);
    }
  }
  if (first.size() != second.size())
    text += fmt::format("  samples: {} and {}\n", first.size(), second.size());
  return text + model_difference(a.models, b.models) + scalar_difference(a.scalars, b.scalars);
}

std::string first_event(analysis::StoredStudy& a, analysis::StoredStudy& b, const Folders& folders,
                        std::size_t point, std::uint32_t repetition) {
  std::optional<analysis::EventDifference> parting;
  try {
    const Plan plan_a = make_plan_again(a, folders), plan_b = make_plan_again(b, folders);
    Execution first(plan_a), second(plan_b);
    const auto maker = [&](Execution& execution) -> analysis::MakeRun {
      return [&](sim::TraceSink& sink, const std::atomic<bool>& enough) {
        try {
          execution.repeat(point, repetition, &sink, &enough);
        } catch (const sim::InvariantError&) {
          throw;
        } catch (const sim::Error& e) {
          if (!e.where.empty()) throw;
        } catch (const std::exception&) {
          // The trace ends where the run fails.
        }
      };
    };
    parting = analysis::first_difference(maker(first), maker(second));
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const std::exception& e) {
    return fmt::format("  events: not compared, because the runs cannot be repeated: {}\n", e.what());
  }
  if (!parting) return "  events: equal when both runs are repeated\n";
  const auto line = [&](analysis::StoredStudy& study, const std::optional<analysis::TracedEvent>& event) {
    const auto names = analysis::agent_names(study.owners(point), study.point(point).first_owner);
    return fmt::format("    {}: {}\n", study.folder().string(),
                       event ? analysis::event_text(*event, names) : "ended before");
  };
  return fmt::format("  first different event: number {} (from 0)\n{}{}", parting->number,
                     line(a, parting->first), line(b, parting->second));
}

// The first difference between two studies with the same axes, metrics and number of points.
struct StudyDifference {
  std::string text{};  // empty if there is none
  std::size_t compared = 0;
  bool parted = false, fingerprints = false;  // of the same run of both; in its fingerprints, too
  std::size_t point = 0;
  std::uint32_t repetition = 0;
};

StudyDifference first_difference(analysis::StoredStudy& a, analysis::StoredStudy& b,
                                 const std::vector<std::string>& folders) {
  StudyDifference found;
  for (std::size_t p = 0; p < a.points() && found.text.empty(); ++p) {
    const analysis::PointResult point = a.point(p), other_point = b.point(p);
    if (comparable_labels(other_point.labels) != comparable_labels(point.labels) ||
        other_point.owners != point.owners) {
      found.text = fmt::format("point {}: the points differ\n", p);
      break;
    }
    std::set<std::uint32_t> of_a;
    a.runs(p, [&](const analysis::RunResult& run) {
      of_a.insert(run.repetition);
      if (!found.text.empty()) return;
      const auto other = b.run(p, run.repetition);
      const std::string where = run_name(a.head(), point, run.repetition);
      ++found.compared;
      if (!other) {
        found.text = fmt::format("{}: missing in {}\n", where, folders[1]);
      } else if (const std::string how = difference(a.head(), point, run, *other); !how.empty()) {
        found.text = where + ":\n" + how;
        found.parted = true;
        found.fingerprints = run.fingerprint != other->fingerprint;
        found.point = p;
        found.repetition = run.repetition;
      }
    });
    for (const analysis::RunState& run : b.states(p)) {
      if (found.text.empty() && run.intact && !of_a.contains(run.repetition))
        found.text =
            fmt::format("{}: missing in {}\n", run_name(a.head(), point, run.repetition), folders[0]);
    }
    // After the runs, whose difference explains it.
    if (!found.text.empty()) break;
    found.text = scalar_difference(point.scalars, other_point.scalars);
    if (!found.text.empty()) found.text = fmt::format("point {}:\n", p) + found.text;
  }
  return found;
}

}  // namespace

int diff_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments, {"diff DIR1 DIR2 [--data-dir DIR]", with_folder_options({}), "two folders", 2, 2});
  if (!values) return kExitDone;
  const std::vector<std::string>& folders = values->operands;
  for (const std::string& folder : folders) require_results(folder);
  analysis::StoredStudy a = open_results(folders[0]), b = open_results(folders[1]);
  const auto print_options = [&] {
    print_out("{}", differing_options(a.plan(), b.plan(), "in " + folders[0], "in " + folders[1]));
  };
  if (a.head().axes != b.head().axes || a.head().metrics != b.head().metrics || a.points() != b.points()) {
    print_out("the studies differ in their axes, metrics or number of points\n");
    print_options();
    return kExitDiffers;
  }
  const StudyDifference found = first_difference(a, b, folders);
  if (found.text.empty()) {
    print_out("{}, all equal\n", counted(found.compared, "run"));
    print_options();
    return without_missing(b, without_missing(a, kExitDone));
  }
  print_out("{}", found.text);
  if (found.parted && !found.fingerprints) {
    print_out("  events: equal by their fingerprints\n");
  } else if (found.parted) {
    print_out("{}", first_event(a, b, folder_arguments(*values), found.point, found.repetition));
  }
  print_options();
  return without_missing(b, without_missing(a, kExitDiffers));
}

}  // namespace hearsay::scenarios
