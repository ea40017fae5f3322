#pragma once
// How the rows of a csv are assigned to owners: by the rows, or by a partition drawn for a study.
#include "models/data/partition.hpp"

namespace hearsay::models {

/// An owner for each value of a column, in the order of first appearance.
struct OwnerColumn {
  static constexpr std::string_view kName = "column";
  static constexpr std::string_view kHelp = "One owner per distinct value of a column.";
  static constexpr sim::Shorthand kShorthand{"column", sim::Shorthand::kNone};
  std::string column;
  void describe(sim::Visitor& v) {
    v(column, {.name = "column", .help = "Column that names the owner of each row.", .required = true});
  }
};

/// Consecutive blocks of rows in file order, the first (rows mod blocks) of them one row longer.
struct OwnerBlocks {
  static constexpr std::string_view kName = "blocks";
  static constexpr std::string_view kHelp =
      "Consecutive blocks of equally many rows; each block is one owner.";
  static constexpr sim::Shorthand kShorthand{"blocks", sim::Shorthand::kNone};
  std::size_t blocks = 1;
  void describe(sim::Visitor& v) {
    v(blocks, {.name = "blocks", .help = "Number of blocks.", .min = 1, .required = true});
  }
};
using OwnerRule =
    std::variant<OwnerColumn, OwnerBlocks, IidOwners, ClassShards, DirichletOwners, QuantityOwners>;

/// The partition that the rule draws; null if rows determine their owners.
inline std::optional<Partition> partition_of(const OwnerRule& rule) {
  return std::visit(
      [](const auto& held) -> std::optional<Partition> {
        if constexpr (requires { held.kByClass; }) return Partition(held);
        return std::nullopt;
      },
      rule);
}

}  // namespace hearsay::models
