#pragma once
// A run as a protocol in Python sees it: models::Context, with numpy arrays for vectors. What is private is opaque here
// as there: a gradient becomes an array only through `release`, and only arrays can be sent.
#include <pybind11/pybind11.h>

#include <optional>
#include <vector>

#include "models/run/driver.hpp"
#include "scenarios/python/arrays.hpp"

namespace hearsay::scenarios {

/// What was computed from private records.
struct OpaqueVector {
  std::optional<models::Sensitive> sensitive{};  ///< until it is released or kept
  std::optional<sim::AgentId>
      agent{};               ///< whose records it was computed from; unknown where an agent says so
  bool stated = true;        ///< its sensitivity is known
  models::Sensitive take();  ///< Throws py::value_error the second time.
};

/// Defines the type of random streams in a module.
void define_random(py::module_& module);

class Run {
 public:
  /// `timers`: whether the protocol handles them.
  Run(models::Context& context, models::World& world, const models::Entry& entry, bool timers);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Defines the type, and those of what it returns, in a module.
  static void define(py::module_& module);

  /// The message for a handler; discard() takes it until end_handler().
  py::object arrived(const sim::Message& message);
  /// Throws py::value_error if a handler has kept a view of a model.
  void end_handler();
  /// After on_start: no account can be opened any more.
  void end_start() { starting_ = false; }
  /// While it lives, what would change the run is an error.
  class ReadOnly {
   public:
    explicit ReadOnly(Run& run) : run_(run) { run_.looking_ = true; }
    ~ReadOnly() { run_.looking_ = false; }
    ReadOnly(const ReadOnly&) = delete;
    ReadOnly& operator=(const ReadOnly&) = delete;

   private:
    Run& run_;
  };
  /// From now on every use is an error.
  void end() { context_ = nullptr; }

 private:
  models::Context& context() const;
  const models::World& world() const;
  /// For what changes the run.
  models::Context& acting() const;
  sim::AgentId agent(py::ssize_t i) const;
  /// An agent that holds an owner's data.
  sim::AgentId owner_agent(py::ssize_t i) const;
  void after(py::ssize_t i, double delay, std::uint16_t tag, std::uint32_t number);
  void open_account(py::ssize_t i, std::optional<std::uint64_t> releases, std::uint32_t overlap);
  OpaqueVector sensitive(py::handle x, double sensitivity);
  double positive_sensitivity(double sensitivity) const;
  py::object neighbours(py::ssize_t i);
  void send(py::ssize_t from, py::handle to, std::uint16_t tag, std::uint32_t conversation,
            py::handle payload);
  void discard(py::handle message);
  py::object heard(py::ssize_t i);
  py::object heard_of(py::ssize_t i);
  py::object model(py::ssize_t i);
  py::object latest(py::ssize_t reader, py::ssize_t neighbour);
  OpaqueVector gradient(py::ssize_t i, py::handle theta, std::optional<double> sensitivity,
                        py::handle records, std::optional<double> divisor);
  OpaqueVector from_data(py::ssize_t i, const py::function& f, std::optional<double> sensitivity);
  py::object release(py::ssize_t i, py::handle sensitive);

  models::Context* context_;
  models::World& world_;
  const models::Entry& entry_;
  bool timers_;
  Arrays arrays_;
  Eigen::VectorXd scratch_;  // p numbers
  ColumnViews models_;
  std::vector<py::object> neighbours_;  // by agent, tuples
  std::vector<sim::AgentId> receivers_;
  const sim::Message* handled_ = nullptr;
  py::handle arrived_;  // the object made of it, until it is discarded
  bool looking_ = false, starting_ = true;
};

}  // namespace hearsay::scenarios
