#pragma once
// Partitions of records among owners, as studies of federated learning draw them. Every record has exactly one owner.
//
//   iid           the records in random order, cut into n parts whose sizes differ by at most one
//   class_shards  the records sorted by class, in file order within a class, and cut into n s shards whose sizes differ
//                 by at most one, the larger ones first; every owner gets s of them, drawn without replacement.
//                 McMahan et al., "Communication-efficient learning of deep networks from decentralized data" (2017),
//                 section 3. An owner has at most s classes if every class fills whole shards.
//   dirichlet     for each class k fractions q_k ~ Dirichlet(alpha, ..., alpha) over the n owners; owner i gets a
//                 fraction q_ki of the class, drawn at random. Yurochkin et al. (2019); Li et al., "Federated learning on
//                 non-IID data silos" (2022), section 4.1. (Hsu et al., 2019, draw fractions of the classes for each
//                 owner instead, and owners of equal size.)
//   quantity      fractions q ~ Dirichlet(alpha, ..., alpha) of all records, which are drawn at random. Li et al. (2022),
//                 section 4.3.
//
// Rounding: owners 1, ..., i together get round(N (q_1 + ... + q_i)) of N records, halves rounded up, so that each owner's
// number differs from N q_i by at most 1. If an owner of dirichlet or quantity would have fewer than `min_records`, all
// fractions are drawn again, which makes their distribution the conditional one; with min_records = 0 they are kept.
//
// Dirichlet: q_i = G_i / sum_j G_j with G_i ~ Gamma(alpha); E q_i = 1/n, Var q_i = (n - 1)/(n^2 (n alpha + 1)).
//
// Streams: of (kData, kWholeStudy), fractions and the choice of shards from kPartition, orders of records from
// kPartitionOrder, with the class as part for dirichlet.
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/data/draw.hpp"

namespace hearsay::models {

struct IidOwners {
  static constexpr std::string_view kName = "iid";
  static constexpr std::string_view kHelp = "Equally many rows for each owner, drawn at random.";
  static constexpr bool kByClass = false;
  std::size_t owners = 10;
  void describe(sim::Visitor& v);
};

struct ClassShards {
  static constexpr std::string_view kName = "class_shards";
  static constexpr std::string_view kHelp =
      "Rows sorted by class and cut into equal shards, a few of them for each owner.";
  static constexpr bool kByClass = true;
  std::size_t owners = 10;
  std::size_t shards = 2;              ///< of each owner
  std::optional<std::string> by = {};  ///< column whose values are the classes; else those of the target
  void describe(sim::Visitor& v);
};

struct DirichletOwners {
  static constexpr std::string_view kName = "dirichlet";
  static constexpr std::string_view kHelp =
      "Label skew: the rows of each class are divided among the owners by fractions from a Dirichlet "
      "distribution.";
  static constexpr bool kByClass = true;
  std::size_t owners = 10;
  double alpha = 0.5;
  std::size_t min_records = 1;
  std::optional<std::string> by = {};
  void describe(sim::Visitor& v);
};

struct QuantityOwners {
  static constexpr std::string_view kName = "quantity";
  static constexpr std::string_view kHelp =
      "Quantity skew: the rows are divided at random, with numbers of rows from a Dirichlet distribution.";
  static constexpr bool kByClass = false;
  std::size_t owners = 10;
  double alpha = 0.5;
  std::size_t min_records = 1;
  void describe(sim::Visitor& v);
};

using Partition = std::variant<IidOwners, ClassShards, DirichletOwners, QuantityOwners>;

/// The column by whose values the rule divides records; null: by the classes of the target, or by neither.
inline const std::string* column_of(const Partition& rule) {
  return std::visit(
      [](const auto& held) -> const std::string* {
        if constexpr (requires { held.by; }) return held.by ? &*held.by : nullptr;
        return nullptr;
      },
      rule);
}
inline bool needs_classes(const Partition& rule) {
  return std::visit([](const auto& held) { return held.kByClass; }, rule) && column_of(rule) == nullptr;
}
inline std::size_t owners_of(const Partition& rule) {
  return std::visit([](const auto& held) { return held.owners; }, rule);
}

/// For each owner its records, increasing numbers of 0, ..., class_of.size() - 1. `class_of` has the class of each record,
/// below `classes`; only the rules with kByClass look at it. O(records log records), and for the fractions
/// O(classes owners) in each of at most 1000 draws. Throws DataError if there are too few records.
std::vector<std::vector<std::size_t>> draw_partition(const Partition& rule,
                                                     const std::vector<std::size_t>& class_of,
                                                     std::size_t classes, const sim::Streams& streams);

/// A draw of Dirichlet(alpha, ..., alpha), in logarithms, so that no alpha is too small.
std::vector<double> draw_dirichlet(std::size_t count, double alpha, sim::Stream& stream);

}  // namespace hearsay::models
