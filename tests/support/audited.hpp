#pragma once
// Small private scenarios for audits: squared loss, stochastic gradient push in synchronous rounds, so that every agent
// sends its model with the noise of its step to all neighbours. Clocks tick at 0.5 s, 1.5 s, ...
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tests/support/scratch.hpp"

namespace hearsay::test {

/// A star of three, center 0, with one record each and Hessian 1: path 1-0-2. Two rounds.
inline std::string audited_path(const std::string& privacy, const std::string& more = "") {
  return R"({"version": 1, "name": "path", "seed": 7, "model": {"loss": "squared", "l2": 0},
    "data": {"type": "csv", "path": "path.csv", "target": "y", "bias": false, "owner": {"type": "blocks", "blocks": 3}},
    "privacy": {"mechanism": "gaussian", "delta": 1e-5, "accountant": "pld", )" +
         privacy + R"(}, "network": {"topology": "star", "latency": "100 ms"},
    "clocks": {"type": "periodic", "period": "1 s", "phase": "500 ms"}, )" +
         (more.empty() ? R"("stop": {"time": "1.7 s"}, )" : more) +
         R"("protocol": {"type": "push_sum", "step": 0.5, "fan_out": 2, "weighted_update": true}})";
}
inline std::string path_records() {
  return fmt::format("a,y\n{0:.17g},0\n{0:.17g},0\n{0:.17g},0\n", std::sqrt(0.5));
}

/// A ring of five in four rounds: mixing weights 1/3, Hessian diag(1 + i/10, 1/2) of agent i, whose first record is along
/// the first axis. A planted record of agent 4 with gradient_bound 2 sqrt(1.4) has the length of the one it replaces.
inline std::string audited_ring() {
  return fmt::format(
      R"({{"version": 1, "name": "ring", "seed": 7, "model": {{"loss": "squared", "l2": 0}},
    "data": {{"type": "csv", "path": "ring.csv", "target": "y", "bias": false, "owner": {{"type": "blocks", "blocks": 5}}}},
    "privacy": {{"mechanism": "gaussian", "delta": 1e-5, "accountant": "pld", "epsilon": 9.94, "steps": 4,
                 "gradient_bound": {:.17g}}},
    "network": {{"topology": "ring", "latency": "100 ms"}},
    "clocks": {{"type": "periodic", "period": "1 s", "phase": "500 ms"}}, "stop": {{"time": "4.2 s"}},
    "protocol": {{"type": "push_sum", "step": 0.5, "fan_out": 2}}}})",
      2 * std::sqrt(1.4));
}
inline std::string ring_records() {
  std::string rows = "a,b,y\n";
  for (int i = 0; i < 5; ++i)
    rows += fmt::format("{:.17g},0,0\n0,{:.17g},0\n", std::sqrt(1 + i / 10.0), std::sqrt(0.5));
  return rows;
}

/// The folder of both.
struct AuditFolder {
  Scratch dir;
  AuditFolder() {
    dir.write("path.csv", path_records());
    dir.write("ring.csv", ring_records());
  }
};

}  // namespace hearsay::test
