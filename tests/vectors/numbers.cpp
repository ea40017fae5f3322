#include "tests/vectors/numbers.hpp"

#include <fmt/format.h>

namespace hearsay::vectors {

void Comparison::number(const std::string& what, double got, double expected, double tolerance) {
  ++compared_;
  // Written so that a NaN fails.
  if (std::abs(got - expected) <= tolerance * std::max(1.0, std::abs(expected))) return;
  ++failed_;
  fmt::print("{}: expected {:.17g}, got {:.17g}\n", what, expected, got);
}

void Comparison::vector(const std::string& what, const Eigen::Ref<const Eigen::VectorXd>& got,
                        const nlohmann::json& expected, double tolerance) {
  if (static_cast<std::size_t>(got.size()) != expected.size()) {
    ++compared_, ++failed_;
    fmt::print("{}: expected {} numbers, got {}\n", what, expected.size(), got.size());
    return;
  }
  for (std::size_t j = 0; j < expected.size(); ++j) {
    number(fmt::format("{}[{}]", what, j), got[static_cast<Eigen::Index>(j)], expected[j], tolerance);
  }
}

Eigen::VectorXd to_vector(const nlohmann::json& numbers) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t j = 0; j < numbers.size(); ++j) v[static_cast<Eigen::Index>(j)] = numbers[j];
  return v;
}

models::DataSet data_set(const nlohmann::json& section) {
  models::DataSet data;
  const auto p = static_cast<Eigen::Index>(section["X"][0][0].size());
  for (Eigen::Index j = 0; j < p; ++j) data.feature_names.push_back(fmt::format("x{}", j));
  for (std::size_t i = 0; i < section["X"].size(); ++i) {
    const auto& rows = section["X"][i];
    models::Shard shard{models::Records(static_cast<Eigen::Index>(rows.size()), p),
                        to_vector(section["y"][i])};
    for (std::size_t k = 0; k < rows.size(); ++k)
      shard.features.row(static_cast<Eigen::Index>(k)) = to_vector(rows[k]);
    data.train.push_back(std::move(shard));
    data.test.push_back({models::Records(0, p), Eigen::VectorXd(0)});
    data.owner_names.push_back(fmt::format("owner {}", i));
  }
  return data;
}

}  // namespace hearsay::vectors
