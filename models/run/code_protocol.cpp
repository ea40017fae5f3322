#include "models/run/code_protocol.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

namespace {

constexpr Entry kPython{
    .name = "python", .help = "A protocol written in Python: a class, with its own options.", .open = true};

class CodeProtocol final : public AnyProtocol {
 public:
  const Entry& entry() const override { return code_.loaded() ? code().entry : kPython; }
  void describe(sim::Visitor& v) override { code_.describe(v); }
  std::unique_ptr<AnyProtocol> clone() const override { return std::make_unique<CodeProtocol>(*this); }
  std::optional<std::uint64_t> planned_iterations(const Study&) const override { return std::nullopt; }
  void require(const Setting& setting) const override {
    if (setting.privacy.epsilon_warm)
      throw std::invalid_argument(
          "protocols in Python make no release up front: leave out privacy.epsilon_warm");
  }
  void check(const Study& study) const override { code().check(code_.values(), study); }
  sim::End run(World& world, Observer& observer) const override {
    return code().run(code_.values(), world, observer);
  }
  std::vector<std::string> notes(const Study& study) const override {
    if (!study.privacy.active()) return {};
    return {fmt::format(
        "the guarantee assumes that the class {} states the sensitivity of what it releases correctly, "
        "and that models and messages are computed from released values alone",
        code().name)};
  }
  std::vector<std::pair<std::string, double>> numbers(const Study&) const override { return {}; }
  // Any class may ask how long a round trip takes.
  MixingWeights mixing() const override { return MixingWeights::kMetropolis; }
  bool needs_round_trips() const override { return true; }
  void check_timeout(const Setting&) const override {}
  std::optional<std::string> warning(const World& world) const override {
    return world.doubt.empty() ? std::nullopt : std::optional(world.doubt);
  }
  std::span<const ProtocolMetric> metrics() const override {
    return code_.loaded() ? std::span<const ProtocolMetric>(code().metrics)
                          : std::span<const ProtocolMetric>();
  }

 private:
  const ProtocolCode& code() const { return code_.as<ProtocolCode>(); }

  sim::InputCode code_{sim::CodeKind::kProtocol};
};

}  // namespace

ProtocolRow code_row() {
  return {kPython, [] { return std::unique_ptr<AnyProtocol>(std::make_unique<CodeProtocol>()); }};
}

}  // namespace hearsay::models
