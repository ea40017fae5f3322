#include "models/data/data_facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace hearsay::models {

namespace {

DeclaredBounds bounds_of_lending(std::size_t features, double noise) {
  const auto p = static_cast<double>(features);
  return {.features_l1 = kRoot3 * p, .features_l2 = std::sqrt(3 * p), .target = kRoot3 * p + kRoot3 * noise};
}

struct BoundsOf {
  std::optional<DeclaredBounds> operator()(const LendingLike& o) const {
    if (o.whiten) return std::nullopt;
    return bounds_of_lending(o.features, o.noise);
  }
  std::optional<DeclaredBounds> operator()(const HospitalLike& o) const {
    return bounds_of_lending(o.features, o.noise);
  }
  std::optional<DeclaredBounds> operator()(const FraudLike& o) const {
    const auto p = static_cast<double>(o.features);
    return DeclaredBounds{.features_l1 = kRoot3 * p + o.separation * std::sqrt(p) + 1,
                          .features_l2 = std::hypot(std::sqrt(3 * p) + o.separation, 1),
                          .target = 1};
  }
  std::optional<DeclaredBounds> operator()(const LinearSeparators& o) const {
    DeclaredBounds bounds{.target = 1};
    if (o.feature_law == PointLaw::kUniform) {
      const auto p = static_cast<double>(o.features);
      bounds.features_l1 = o.feature_scale * p;
      bounds.features_l2 = o.feature_scale * std::sqrt(p);
    }
    return bounds;
  }
  std::optional<DeclaredBounds> operator()(const LowRankTasks& o) const {
    DeclaredBounds bounds{.features_l1 = std::sqrt(static_cast<double>(o.features)), .features_l2 = 1};
    if (!o.standardise_target) bounds.target = 1;
    return bounds;
  }
  std::optional<DeclaredBounds> operator()(const CsvData& o) const {
    if (!o.bounds && !o.unit_ball) return std::nullopt;
    DeclaredBounds bounds;
    if (o.bounds) bounds.features_l1 = o.bounds->features + (o.bias ? 1 : 0);
    if (o.bounds && o.bounds->target) bounds.target = *o.bounds->target;
    if (o.unit_ball) bounds.features_l2 = o.bias ? std::sqrt(2.0) : 1;
    return bounds;
  }
  std::optional<DeclaredBounds> operator()(const MovieLens&) const { return std::nullopt; }
  std::optional<DeclaredBounds> operator()(const SyntheticClasses&) const { return std::nullopt; }
  std::optional<DeclaredBounds> operator()(const PythonData&) const { return std::nullopt; }
};

struct OwnersOf {
  template <class Kind>
  std::optional<std::size_t> operator()(const Kind& o) const {
    return o.owners;
  }
  std::optional<std::size_t> operator()(const LowRankTasks& o) const { return o.tasks; }
  std::optional<std::size_t> operator()(const PythonData&) const { return std::nullopt; }
  std::optional<std::size_t> operator()(const MovieLens& o) const {
    return o.path ? std::nullopt : std::optional(o.generated.users);
  }
  std::optional<std::size_t> operator()(const CsvData& o) const {
    if (o.min_records > 1) return std::nullopt;
    if (!o.owner) {
      const std::size_t files = o.files.size() + (o.path ? 1 : 0);
      // Unless rows are left out, every file has one.
      return files == 1 || o.impute == Impute::kNone ? std::optional(files) : std::nullopt;
    }
    return std::visit(
        []<class Rule>(const Rule& rule) -> std::optional<std::size_t> {
          if constexpr (requires { rule.min_records; }) {
            if (rule.min_records == 0) return std::nullopt;  // owners without rows are excluded
          }
          if constexpr (requires { rule.owners; }) return rule.owners;
          if constexpr (requires { rule.blocks; }) return rule.blocks;
          return std::nullopt;
        },
        *o.owner);
  }
};

struct SizeOf {
  const sim::Streams& streams;

  template <class Kind>
  std::optional<DataSize> operator()(const Kind& o) const {
    constexpr bool kConstant = std::is_same_v<Kind, FraudLike> || std::is_same_v<Kind, SyntheticClasses>;
    const auto owners = static_cast<double>(o.owners);
    DataSize size{.owners = owners,
                  .records = expected_records(o, o.owners, streams),
                  .test_records = owners * static_cast<double>(o.test_records),
                  .features = static_cast<double>(o.features) + (kConstant ? 1 : 0)};
    if constexpr (requires { o.classes; }) size.classes = static_cast<double>(o.classes);
    return size;
  }
  std::optional<DataSize> operator()(const LowRankTasks& o) const {
    const double all = expected_records(o, o.tasks, streams);
    return DataSize{.owners = static_cast<double>(o.tasks),
                    .records = o.train_fraction * all,
                    .test_records = (1 - o.train_fraction) * all,
                    .features = static_cast<double>(o.features)};
  }
  std::optional<DataSize> operator()(const CsvData&) const { return std::nullopt; }
  std::optional<DataSize> operator()(const PythonData&) const { return std::nullopt; }
  std::optional<DataSize> operator()(const MovieLens& o) const {
    if (o.path) return std::nullopt;
    const auto all = static_cast<double>(o.generated.ratings);
    return DataSize{.owners = static_cast<double>(o.generated.users),
                    .records = (1 - o.test_fraction) * all,
                    .test_records = o.test_fraction * all,
                    .features = static_cast<double>(o.features)};
  }
};

struct TargetsOf {
  std::optional<Targets> operator()(const LendingLike&) const { return Targets::kNumbers; }
  std::optional<Targets> operator()(const HospitalLike&) const { return Targets::kNumbers; }
  std::optional<Targets> operator()(const FraudLike&) const { return Targets::kSigns; }
  std::optional<Targets> operator()(const LinearSeparators&) const { return Targets::kSigns; }
  std::optional<Targets> operator()(const LowRankTasks& o) const {
    return o.target == TaskTarget::kClassification ? Targets::kSigns : Targets::kNumbers;
  }
  std::optional<Targets> operator()(const CsvData& o) const {
    if (o.classes) return Targets::kClasses;
    if (o.positive) return Targets::kSigns;
    return std::nullopt;
  }
  std::optional<Targets> operator()(const MovieLens& o) const {
    return o.path ? std::nullopt : std::optional(Targets::kNumbers);
  }
  std::optional<Targets> operator()(const SyntheticClasses&) const { return Targets::kClasses; }
  std::optional<Targets> operator()(const PythonData&) const { return std::nullopt; }
};

}  // namespace

std::optional<DeclaredBounds> bounds_of(const DataOptions::Kind& data) {
  return std::visit(BoundsOf(), data);
}

std::optional<std::size_t> owners_of(const DataOptions::Kind& data) {
  return std::visit(OwnersOf(), data);
}

std::optional<DataSize> size_of(const DataOptions::Kind& data, const sim::Streams& streams) {
  return std::visit(SizeOf{streams}, data);
}

std::optional<Targets> targets_of(const DataOptions::Kind& data) {
  return std::visit(TargetsOf(), data);
}

void require_targets(const Loss& loss, Targets targets) {
  if (!loss.is_classifier()) return;
  if (targets == (loss.scalar() ? Targets::kSigns : Targets::kClasses)) return;
  constexpr std::string_view kFound[] = {"numbers", "-1 and +1", "classes 0, 1, ..."};
  constexpr std::string_view kFor[] = {"squared", "logistic", "softmax"};
  const auto k = static_cast<std::size_t>(targets);
  throw std::invalid_argument(
      fmt::format("{} loss: expected {}, found targets that are {}: use {}", loss.name(),
                  loss.scalar() ? "targets -1 and +1" : "classes 0, 1, ...", kFound[k], kFor[k]));
}

}  // namespace hearsay::models
