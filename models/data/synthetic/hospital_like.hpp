#pragma once
// A synthetic stand-in for hospitals that each predict the length of a stay: many owners, of very different
// sizes, whose patients differ.
//
// The law of the records is that of `lending_like` (models/data/synthetic/lending_like.hpp), with other defaults: 86
// owners of 10 000 to 80 000 records, sizes uniform, each drawn from (kData, owner, kSize). Which hospitals
// have something to gain from each other is set by `heterogeneity`, the deviation of an owner's own
// parameters: f(theta*_i) - f* is about norm_2(theta_i - mean theta)^2, so p heterogeneity^2 on average.
#include <cstddef>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "models/data/owner_sizes.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct HospitalLike {
  static constexpr std::string_view kName = "hospital_like";
  static constexpr std::string_view kHelp =
      "Synthetic regression: many owners with very different numbers of records and heterogeneous "
      "parameters.";

  std::size_t owners = 86;
  OwnerSizes records = OwnerSizes(sim::Uniform{10000, 80000});
  std::size_t features = 10;  ///< p
  double noise = 1;           ///< standard deviation
  double heterogeneity = 0.1;
  std::size_t test_records = 0;  ///< of each owner
  Draw draw = Draw::kStudy;

  void describe(sim::Visitor& v);
};

/// The data of `lending_like` with the same options; owners are called hospitals. Cost O(n p).
DataSet make_data(const HospitalLike& options, const sim::Streams& streams);

}  // namespace hearsay::models
