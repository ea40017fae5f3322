#pragma once
// Options with every feature of the scenario language, for its tests.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/laws/distribution.hpp"

namespace hearsay::toy {

enum class Colour { kRed, kGreen, kBlue };
constexpr auto choices_of(Colour) {
  return std::to_array<sim::Choice>({{"red", "Like fire."}, {"green", "Like grass."}, {"blue"}});
}

struct Star {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "All around one.";
  std::int64_t points = 5;
  void describe(sim::Visitor& v) { v(points, {.name = "points", .help = "How many.", .min = 1}); }
};

struct Blocks {
  static constexpr std::string_view kName = "blocks";
  static constexpr sim::Shorthand kShorthand{"sizes", sim::Shorthand::kList};
  std::vector<std::int64_t> sizes;
  void describe(sim::Visitor& v) {
    v(sizes, {.name = "sizes", .help = "Size of each.", .min = 1, .required = true});
  }
};

struct Named {
  static constexpr std::string_view kName = "named";
  static constexpr std::string_view kHelp = "By a word.";
  static constexpr sim::Shorthand kShorthand{"word", sim::Shorthand::kText};
  std::string word = "none";
  Colour colour = Colour::kGreen;
  void describe(sim::Visitor& v) {
    v(word, {.name = "word", .help = "The word."});
    v(colour, {.name = "colour", .help = "Its colour."});
  }
};

struct Network {
  std::variant<Star, Blocks, Named> topology{Star{7}};  // not Star's own default
  sim::Distribution latency{sim::Uniform{0, 0.015}};
  std::optional<double> bandwidth;
  double loss = 0;
  [[gnu::noinline]] Network() {}  // inlined, GCC 12 takes the variant for uninitialised and warns
  void describe(sim::Visitor& v) {
    v(topology, {.name = "topology", .help = "Who can talk to whom."});
    v(latency, {.name = "latency", .help = "Delay of a message.", .unit = "s", .min = 0});
    v(bandwidth, {.name = "bandwidth", .help = "Of a link.", .unit = "B/s", .min = 0, .open_min = true});
    v(loss, {.name = "loss",
             .help = "Share of messages lost.",
             .source = "Bertsekas 1989, eq. 7",
             .min = 0,
             .max = 1});
  }
};

struct Owner {
  double weight = 1;
  bool shares = true;
  void describe(sim::Visitor& v) {
    v(weight, {.name = "weight", .min = 0, .open_min = true, .required = true});
    v(shares, {.name = "shares"});
  }
};

struct Privacy {
  double epsilon = 1;
  void describe(sim::Visitor& v) {
    v(epsilon, {.name = "epsilon", .help = "Privacy loss.", .min = 0, .open_min = true});
  }
};

struct Study {
  std::string name;
  std::uint64_t seed = 1;
  Network network;
  Privacy privacy;
  Colour colour = Colour::kRed;
  double horizon = 10, warm_up = 0;
  std::int64_t bytes = 0;
  std::int32_t small = 0;
  std::vector<Owner> owners;
  std::vector<std::string> metrics{"objective"};
  std::vector<sim::Distribution> rates;
  std::optional<Owner> hub;
  std::optional<sim::InputFile> data;

  void describe(sim::Visitor& v) {
    v(name, {.name = "name", .help = "For people."});
    v(seed, {.name = "seed"});
    v(network, {.name = "network", .help = "Links."});
    v(privacy, {.name = "privacy"});
    v(colour, {.name = "colour"});
    v(horizon, {.name = "horizon", .help = "Until when.", .unit = "s", .min = 0});
    v(warm_up, {.name = "warm_up", .unit = "s", .min = 0});
    v.check(warm_up <= horizon, "warm_up",
            fmt::format("expected at most horizon ({} s), found {} s", horizon, warm_up));
    v(bytes, {.name = "bytes", .unit = "B", .min = 0});
    v(small, {.name = "small"});
    v(owners, {.name = "owners"});
    v(metrics, {.name = "metrics"});
    v(rates, {.name = "rates", .unit = "1/s", .min = 0, .open_min = true});
    v(hub, {.name = "hub"});
    v(data, {.name = "data"});
  }
};

}  // namespace hearsay::toy
