#pragma once
// A protocol without its type: what the table of protocols (models/registry.hpp) holds.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/run/driver.hpp"
#include "models/run/protocol.hpp"
#include "models/run/setting.hpp"
#include "models/run/timeout.hpp"
#include "models/run/world.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

/// A protocol's options with the function that runs it; the type of the protocol is gone.
class AnyProtocol {
 public:
  virtual ~AnyProtocol() = default;
  virtual const Entry& entry() const = 0;
  virtual void describe(sim::Visitor& v) = 0;
  virtual std::unique_ptr<AnyProtocol> clone() const = 0;
  /// The iterations that budgets are planned for, of a protocol that plans by them.
  virtual std::optional<std::uint64_t> planned_iterations(const Study& study) const = 0;
  /// Throws std::invalid_argument if the options do not fit those of the study: what needs no data.
  virtual void require(const Setting& setting) const = 0;
  /// Throws std::invalid_argument if the options do not fit the study. Afterwards study.exact_reads is complete.
  virtual void check(const Study& study) const = 0;
  virtual sim::End run(World& world, Observer& observer) const = 0;
  /// What else is to be said of its options, a sentence each.
  virtual std::vector<std::string> notes(const Study& study) const = 0;
  /// Numbers of a point that follow from its options, by name.
  virtual std::vector<std::pair<std::string, double>> numbers(const Study& study) const = 0;
  /// Of a release of an owner with n records, the largest.
  virtual double release_sensitivity(const Budget& privacy, Eigen::Index n) const {
    return privacy.sensitivity(n);
  }
  /// W of its mixing.
  virtual MixingWeights mixing() const = 0;
  /// Whether agents send anything.
  virtual bool sends() const { return true; }
  /// The agent of the owner that is the learner.
  virtual std::optional<sim::AgentId> learner() const { return {}; }
  /// Whether Study::round_trips has to be set.
  virtual bool needs_round_trips() const = 0;
  /// Throws OptionError for a timeout within which no reply can come, unless the protocol uses late replies, and
  /// std::invalid_argument for a protocol that drives itself where no time passes (require_passing_time).
  /// The setting has round trips.
  virtual void check_timeout(const Setting& setting) const = 0;
  /// What is suspicious about a run that has ended.
  virtual std::optional<std::string> warning(const World& world) const = 0;
  /// Metrics of its own.
  virtual std::span<const ProtocolMetric> metrics() const = 0;

 protected:
  AnyProtocol() = default;
  AnyProtocol(const AnyProtocol&) = default;
  AnyProtocol& operator=(const AnyProtocol&) = default;
};

/// A row of the table. `make` gives the options at their defaults.
struct ProtocolRow {
  Entry entry;
  std::unique_ptr<AnyProtocol> (*make)();
  std::span<const ProtocolMetric> metrics = {};
};

template <class P>
std::span<const ProtocolMetric> metrics_of() {
  if constexpr (hooks::measure<P>) return P::kMetrics;
  return {};
}

/// The row of a protocol; to be called where the protocol is compiled, so that the driver is compiled there
/// too.
template <Protocol P>
ProtocolRow row() {
  static_assert(hooks::spelt_params<typename P::Params>());
  class Held final : public AnyProtocol {
   public:
    const Entry& entry() const override {
      static constexpr Entry kEntry = P::kEntry;
      return kEntry;
    }
    void describe(sim::Visitor& v) override { params_.describe(v); }
    std::unique_ptr<AnyProtocol> clone() const override { return std::make_unique<Held>(*this); }
    std::optional<std::uint64_t> planned_iterations([[maybe_unused]] const Study& study) const override {
      if constexpr (hooks::planned_iterations<Params>) return params_.planned_iterations(entry().name, study);
      return std::nullopt;
    }
    void require([[maybe_unused]] const Setting& setting) const override {
      if constexpr (hooks::require<Params>) params_.require(setting);
    }
    void check(const Study& study) const override {
      require(setting_of(study));
      P(params_, study);
    }
    sim::End run(World& world, Observer& observer) const override {
      P protocol(params_, world.study);
      return Driver<P>(protocol, world, observer).run();
    }
    std::vector<std::string> notes(const Study& study) const override {
      std::vector<std::string> all;
      if constexpr (hooks::notes<Params>) all = params_.notes(study);
      if (const auto* given = timeout()) {
        if (auto note = timeout_note(timeout_key(), *given, study, hooks::kFiniteTimeout<Params>))
          all.push_back(std::move(*note));
      }
      return all;
    }
    std::vector<std::pair<std::string, double>> numbers(const Study& study) const override {
      if constexpr (hooks::numbers<Params>) return params_.numbers(study);
      return {};
    }
    double release_sensitivity(const Budget& privacy, Eigen::Index n) const override {
      if constexpr (hooks::release_sensitivity<Params>) return params_.release_sensitivity(privacy, n);
      return AnyProtocol::release_sensitivity(privacy, n);
    }
    MixingWeights mixing() const override {
      if constexpr (hooks::mixing<Params>) return params_.mixing;
      return MixingWeights::kMetropolis;
    }
    bool sends() const override {
      if constexpr (hooks::sends<Params>) return params_.sends();
      return true;
    }
    std::optional<sim::AgentId> learner() const override {
      if constexpr (hooks::learner_is_owner<Params>) return params_.learner_is_owner;
      return {};
    }
    bool needs_round_trips() const override { return hooks::needs_round_trips<Params>; }
    void check_timeout(const Setting& setting) const override {
      if constexpr (hooks::self_paced<Params>) {
        require_passing_time(setting, params_.self_paced());
      }
      if constexpr (hooks::uses_late_replies<Params>) {
        if (params_.uses_late_replies()) return;
      }
      if (const auto* given = timeout())
        require_possible_timeout(timeout_key(), *given, *setting.round_trips);
    }
    std::optional<std::string> warning(const World& world) const override {
      const auto* given = timeout();
      std::optional<std::string> all =
          given != nullptr ? unused_replies_warning(*given, world) : std::nullopt;
      if constexpr (hooks::warning<Params>) {
        if (const std::optional<std::string> own = params_.warning(world))
          all = all ? *all + "; " + *own : *own;
      }
      return all;
    }
    std::span<const ProtocolMetric> metrics() const override { return metrics_of<P>(); }

   private:
    using Params [[maybe_unused]] = typename P::Params;  // clang 14 overlooks its uses in requires
    static constexpr std::string_view timeout_key() {
      return hooks::round_timeout<Params> ? "round_timeout" : "timeout";
    }
    // The option that says how long the protocol waits for replies, if it has one.
    const std::optional<sim::Time>* timeout() const {
      if constexpr (hooks::round_timeout<Params>) return &params_.round_timeout;
      if constexpr (hooks::timeout<Params>) return &params_.timeout;
      return nullptr;
    }
    Params params_;
  };
  return {P::kEntry, [] { return std::unique_ptr<AnyProtocol>(std::make_unique<Held>()); }, metrics_of<P>()};
}

}  // namespace hearsay::models
