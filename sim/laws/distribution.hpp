#pragma once
// Distributions as options: a number that may vary is given by one of these laws.
#include <concepts>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::sim {

// Each law has: sample(Stream&); sample_size_biased(Stream&), a draw from the density x f(x)/mean, the law of the
// period that contains a fixed instant; mean(); lower() and upper(), the ends of its support. Where the mean, median or
// minimum that scales a law is 0, it is its limit: the constant 0.

/// The upper end of a law on (0, infinity) of this scale.
constexpr double unbounded_above(double scale) {
  return scale == 0 ? 0 : std::numeric_limits<double>::infinity();
}

struct Constant {
  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kHelp = "Always the same value. Short form: the number.";
  static constexpr Shorthand kShorthand{"value", Shorthand::kNumber};
  double value = 0;
  void describe(Visitor& v);
  double sample(Stream&) const { return value; }
  double sample_size_biased(Stream&) const { return value; }
  double mean() const { return value; }
  double lower() const { return value; }
  double upper() const { return value; }
};

struct Uniform {
  static constexpr std::string_view kName = "uniform";
  static constexpr std::string_view kHelp = "Uniform on [min, max); mean (min + max)/2.";
  static constexpr std::string_view kExample = R"({"type": "uniform", "min": "0 ms", "max": "15 ms"})";
  double min = 0, max = 0;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const { return (min + max) / 2; }
  double lower() const { return min; }
  double upper() const { return max; }
};

struct Exponential {
  static constexpr std::string_view kName = "exponential";
  static constexpr std::string_view kHelp = "Exponential with the given mean; 0: always 0.";
  static constexpr std::string_view kExample = R"({"type": "exponential", "mean": "20 ms"})";
  double average = 1;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const { return average; }
  double lower() const { return 0; }
  double upper() const { return unbounded_above(average); }
};

struct Lognormal {
  static constexpr std::string_view kName = "lognormal";
  static constexpr std::string_view kHelp =
      "Exponential of a normal variable with mean ln(median) and standard deviation sigma; mean median * "
      "exp(sigma^2/2).";
  static constexpr std::string_view kExample = R"({"type": "lognormal", "median": "40 ms", "sigma": 0.5})";
  double median = 1, sigma = 1;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const;
  double lower() const { return 0; }
  double upper() const { return unbounded_above(median); }
};

struct Gamma {
  static constexpr std::string_view kName = "gamma";
  static constexpr std::string_view kHelp = "Gamma with the given shape and mean.";
  static constexpr std::string_view kExample = R"({"type": "gamma", "shape": 2, "mean": "20 ms"})";
  double shape = 1, average = 1;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const { return average; }
  double lower() const { return 0; }
  double upper() const { return unbounded_above(average); }
};

struct Pareto {
  static constexpr std::string_view kName = "pareto";
  static constexpr std::string_view kHelp =
      "Pareto: P(X > x) = (min/x)^alpha for x >= min; mean alpha * min/(alpha - 1), infinite for alpha <= 1.";
  static constexpr std::string_view kExample = R"({"type": "pareto", "min": "5 ms", "alpha": 2.5})";
  double min = 1, alpha = 2;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const;
  double lower() const { return min; }
  double upper() const { return unbounded_above(min); }
};

/// The list of distributions: one of them, or of the further kinds that its place allows.
template <class... Further>
using DistributionOr = std::variant<Constant, Uniform, Exponential, Lognormal, Gamma, Pareto, Further...>;

/// One of several laws, chosen at random for every draw.
struct Mixture {
  static constexpr std::string_view kName = "mixture";
  static constexpr std::string_view kHelp =
      "One of several distributions, chosen with probability proportional to its weight.";
  static constexpr std::string_view kExample =
      R"({"type": "mixture", "parts": [{"weight": 9, "law": "20 ms"}, {"weight": 1, "law": "300 ms"}]})";
  struct Part {
    double weight = 1;
    DistributionOr<> law;
    void describe(Visitor& v);
  };
  std::vector<Part> parts;
  void describe(Visitor& v);
  double sample(Stream& s) const;
  double sample_size_biased(Stream& s) const;
  double mean() const;
  double lower() const;
  double upper() const;
};

/// The range of the values of a law or list.
struct Support {
  double lower, upper;
  bool attained;  ///< both ends occur with positive probability
};

/// Rejects values outside the range of their place.
void check_range(Visitor& v, const About& about, const Support& support);

/// A number that may vary. As an option its unit and range are those of its place: a law whose support exceeds the
/// range is rejected when the scenario is read.
class Distribution {
 public:
  using Law = DistributionOr<Mixture>;

  Distribution() = default;
  Distribution(double value) : law_(Constant{value}) {}  // NOLINT(google-explicit-constructor): it is a law
  template <std::convertible_to<Law> L>
  Distribution(const L& law) : law_(law) {}  // NOLINT(google-explicit-constructor)

  /// One draw; O(1), no allocation. Draws nothing when constant.
  double sample(Stream& s) const {
    return std::visit([&s](const auto& law) { return law.sample(s); }, law_);
  }
  /// One draw from the size-biased law; the mean must be finite.
  double sample_size_biased(Stream& s) const {
    return std::visit([&s](const auto& law) { return law.sample_size_biased(s); }, law_);
  }
  double mean() const {
    return std::visit([](const auto& law) { return law.mean(); }, law_);
  }
  double lower() const {
    return std::visit([](const auto& law) { return law.lower(); }, law_);
  }
  double upper() const {
    return std::visit([](const auto& law) { return law.upper(); }, law_);
  }
  /// Whether it has more than one value.
  bool random() const { return lower() < upper(); }
  /// A law of a single value attains its ends.
  Support support() const { return {lower(), upper(), lower() == upper()}; }
  bool constant() const { return std::holds_alternative<Constant>(law_); }
  const Law& law() const { return law_; }
  /// Rejects values outside the range of their place. An empty mixture is rejected by Mixture::describe.
  void check_range(Visitor& v, const About& about) const;

  void describe_as(Visitor& v, const About& about);

 private:
  Law law_;
};

/// Rejects values outside the range of their place, of a value that is one of several kinds.
template <class... Kinds>
void check_range(Visitor& v, const About& about, const std::variant<Kinds...>& value) {
  std::visit(
      [&]<class Kind>(const Kind& held) {
        if constexpr (std::convertible_to<Kind, Distribution>) {
          Distribution(held).check_range(v, about);
        } else if constexpr (requires { held.check_range(v, about); }) {
          held.check_range(v, about);
        }
      },
      value);
}

/// Describes a value that is one of several kinds. Those that are laws, or have kDrawn, have the further option `drawn`,
/// an enumeration. Values must lie in the range of their place.
template <class... Kinds, class Often>
void describe_drawn(Visitor& v, const About& about, std::variant<Kinds...>& value, Often& drawn) {
  v.variant(value, about, drawn, []<class Kind>(Visitor& inner, Kind&, Often& often) {
    if constexpr (std::convertible_to<Kind, Distribution> || requires { Kind::kDrawn; })
      inner(often, {.name = "drawn", .help = "How often the value is drawn."});
  });
  check_range(v, about, value);
}

}  // namespace hearsay::sim
