#pragma once
// Losses: functions of a model's score s, which is theta . x for a linear model, and the target y.
//
//   squared         (s - y)^2
//   logistic        log(1 + exp(-m)),  m = y s
//   hinge           max(0, 1 - m)
//   smoothed_hinge  0 for m >= 1, (1 - m)^2/(2w) for 1 - w < m < 1, 1 - m - w/2 below
//   softmax         log(sum_k exp(s_k)) - s_y: cross-entropy, of a score for each class, y in {0, ..., K-1}
//
// logistic and the hinges are for two classes, y in {-1, +1}.
// A record's gradient is slope(s, y) x. The hinge's slope is the subgradient -y where m < 1 and 0 elsewhere.
//
// A loss is a struct with value, slope, curvature (second derivative in s), error and gradient_l1_bound, and these
// properties, which protocols, solvers and privacy check:
//   kClassifier           targets are classes
//   kQuadratic            (s - y)^2, so that moments of the records suffice
//   kTwiceDifferentiable  the curvature is continuous
//   kAttained             for separable classes it has a minimiser without a regulariser
//   max_slope()           bound of |slope| over all s and y; infinite: gradients are bounded only within a box
//   max_curvature()       bound of the curvature, the Lipschitz constant of the slope; infinite: not smooth
//   error                 what a test reports: squared error, or 1 when sign(s) differs from y (s = 0 counts as +1)
//   gradient_l1_bound     bound of norm_1 of a record's gradient when norm_1(x) <= r1, |y| <= y_max and
//                         norm_inf(theta) <= theta_max; infinite if unbounded
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "sim/options/describe.hpp"

namespace hearsay::models {

/// 1 when the sign of s is not that of the class y, else 0.
inline double misclassified(double s, double y) {
  return (s >= 0) == (y > 0) ? 0 : 1;
}

struct SquaredLoss {
  static constexpr std::string_view kName = "squared";
  static constexpr std::string_view kHelp = "(s - y)^2 for prediction s and target y; for regression.";
  static constexpr bool kClassifier = false, kQuadratic = true, kTwiceDifferentiable = true, kAttained = true;
  void describe(sim::Visitor&) {}
  double max_slope() const { return std::numeric_limits<double>::infinity(); }
  double max_curvature() const { return 2; }
  double value(double s, double y) const { return (s - y) * (s - y); }
  double slope(double s, double y) const { return 2 * (s - y); }
  double curvature(double, double) const { return 2; }
  double error(double s, double y) const { return value(s, y); }
  double gradient_l1_bound(double r1, double y_max, double theta_max) const {
    return 2 * (theta_max * r1 + y_max) * r1;
  }
};

struct LogisticLoss {
  static constexpr std::string_view kName = "logistic";
  static constexpr std::string_view kHelp =
      "log(1 + exp(-y s)) for score s and class y = -1 or +1; for classification.";
  static constexpr bool kClassifier = true, kQuadratic = false, kTwiceDifferentiable = true,
                        kAttained = false;
  void describe(sim::Visitor&) {}
  double max_slope() const { return 1; }
  double max_curvature() const { return 0.25; }
  double value(double s, double y) const {
    const double m = y * s;
    return std::max(-m, 0.0) + std::log1p(std::exp(-std::abs(m)));
  }
  double slope(double s, double y) const { return -y / (1 + std::exp(y * s)); }
  double curvature(double s, double) const {
    const double e = std::exp(-std::abs(s));
    return e / ((1 + e) * (1 + e));
  }
  double error(double s, double y) const { return misclassified(s, y); }
  double gradient_l1_bound(double r1, double, double) const { return r1; }

  /// For a block of records, so that exp is vectorised: turns scores into slopes, and sums the values. The sum takes
  /// one logarithm, of a product of at most 2^(records): use at most 1000 records.
  template <class Block, class Targets>
  void slopes(Block&& scores, const Targets& y) const {
    scores.array() = -y.array() / (1 + (y.array() * scores.array()).exp());
  }
  template <class Block, class Targets>
  double total(const Block& scores, const Targets& y) const {
    return (-(y.array() * scores.array())).max(0.0).sum() +
           std::log((1 + (-(y.array() * scores.array()).abs()).exp()).prod());
  }
};

struct HingeLoss {
  static constexpr std::string_view kName = "hinge";
  static constexpr std::string_view kHelp =
      "max(0, 1 - y s) for score s and class y = -1 or +1; support vector machine.";
  static constexpr bool kClassifier = true, kQuadratic = false, kTwiceDifferentiable = false,
                        kAttained = true;
  void describe(sim::Visitor&) {}
  double max_slope() const { return 1; }
  double max_curvature() const { return std::numeric_limits<double>::infinity(); }
  double value(double s, double y) const { return std::max(0.0, 1 - y * s); }
  double slope(double s, double y) const { return y * s < 1 ? -y : 0.0; }
  double curvature(double, double) const { return 0; }
  double error(double s, double y) const { return misclassified(s, y); }
  double gradient_l1_bound(double r1, double, double) const { return r1; }
};

struct SmoothedHingeLoss {
  static constexpr std::string_view kName = "smoothed_hinge";
  static constexpr std::string_view kHelp = "Hinge loss with its kink replaced by a parabola of width w.";
  static constexpr bool kClassifier = true, kQuadratic = false, kTwiceDifferentiable = false,
                        kAttained = true;
  double width = 0.5;
  void describe(sim::Visitor& v) {
    v(width, {.name = "width", .help = "Width w of the parabola.", .min = 0, .open_min = true});
  }
  double max_slope() const { return 1; }
  double max_curvature() const { return 1 / width; }
  double value(double s, double y) const {
    const double gap = 1 - y * s;
    if (gap <= 0) return 0;
    return gap < width ? gap * gap / (2 * width) : gap - width / 2;
  }
  double slope(double s, double y) const { return -y * std::clamp((1 - y * s) / width, 0.0, 1.0); }
  double curvature(double s, double y) const {
    const double gap = 1 - y * s;
    return gap > 0 && gap < width ? 1 / width : 0.0;
  }
  double error(double s, double y) const { return misclassified(s, y); }
  double gradient_l1_bound(double r1, double, double) const { return r1; }
};

/// A function of K scores: the model computes it (models/learning/networks/network.hpp).
struct SoftmaxLoss {
  static constexpr std::string_view kName = "softmax";
  static constexpr std::string_view kHelp =
      "log(sum_k exp(s_k)) - s_y for scores s of K classes and class y = 0, ..., K-1: cross-entropy.";
  static constexpr bool kClassifier = true, kQuadratic = false, kTwiceDifferentiable = true,
                        kAttained = false;
  void describe(sim::Visitor&) {}
  /// In norm_2: of the slope q - e_y, and of the curvature diag(q) - q q^T.
  double max_slope() const { return std::numbers::sqrt2; }
  double max_curvature() const { return 0.5; }
  /// norm_1(q - e_y) norm_1(x) <= 2 norm_1(x).
  double gradient_l1_bound(double r1, double, double) const { return 2 * r1; }
};

class Loss {
 public:
  using Kind = std::variant<SquaredLoss, LogisticLoss, HingeLoss, SmoothedHingeLoss, SoftmaxLoss>;

  Loss() = default;
  template <class L>
  requires std::is_constructible_v<Kind, L> Loss(L loss)
      : kind_(loss) {}  // NOLINT(google-explicit-constructor): a kind of loss is a loss

  /// Whether it is a function of one score.
  bool scalar() const { return !std::holds_alternative<SoftmaxLoss>(kind_); }
  /// Calls f with the loss itself, so that a loop over records is compiled for it. Throws std::logic_error unless it is
  /// a function of one score.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(
        [&]<class L>(const L& loss) -> std::invoke_result_t<F, const SquaredLoss&> {
          if constexpr (std::is_same_v<L, SoftmaxLoss>) {
            throw std::logic_error("softmax is no function of one score");
          } else {
            return std::forward<F>(f)(loss);
          }
        },
        kind_);
  }
  std::string_view name() const {
    return std::visit([](const auto& l) { return l.kName; }, kind_);
  }
  bool is_classifier() const {
    return std::visit([](const auto& l) { return l.kClassifier; }, kind_);
  }
  bool quadratic() const {
    return std::visit([](const auto& l) { return l.kQuadratic; }, kind_);
  }
  bool twice_differentiable() const {
    return std::visit([](const auto& l) { return l.kTwiceDifferentiable; }, kind_);
  }
  bool attained() const {
    return std::visit([](const auto& l) { return l.kAttained; }, kind_);
  }
  bool smooth() const { return std::isfinite(max_curvature()); }
  double max_slope() const {
    return std::visit([](const auto& l) { return l.max_slope(); }, kind_);
  }
  double max_curvature() const {
    return std::visit([](const auto& l) { return l.max_curvature(); }, kind_);
  }
  /// max_curvature(); throws std::invalid_argument unless the loss is smooth.
  double require_smooth() const {
    if (smooth()) return max_curvature();
    throw std::invalid_argument(fmt::format(
        "the protocol needs a smooth loss, not {}: use squared, logistic or smoothed_hinge", name()));
  }
  double value(double s, double y) const {
    return visit([=](const auto& l) { return l.value(s, y); });
  }
  double slope(double s, double y) const {
    return visit([=](const auto& l) { return l.slope(s, y); });
  }
  double curvature(double s, double y) const {
    return visit([=](const auto& l) { return l.curvature(s, y); });
  }
  double error(double s, double y) const {
    return visit([=](const auto& l) { return l.error(s, y); });
  }
  double gradient_l1_bound(double r1, double y_max, double theta_max) const {
    return std::visit([=](const auto& l) { return l.gradient_l1_bound(r1, y_max, theta_max); }, kind_);
  }

  void describe_as(sim::Visitor& v, const sim::About& about) { v.variant(kind_, about); }

 private:
  Kind kind_;
};

}  // namespace hearsay::models
