// Files of ratings: read, and made a data set of two features.
#include "models/data/ratings/movielens.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  models::MovieLens options;
  options.path = fuzz::memory_file(fuzz::text_of(data, size), "ratings");
  options.features = 2;
  options.sweeps = 1;
  fuzz::accepted<models::DataError>([&] {
    const models::DataSet all = models::make_data(options, sim::Streams(1, 0));
    for (const models::Shard& shard : all.train) {
      fuzz::require(shard.features.rows() == shard.target.size() && shard.features.rows() > 0,
                    "every user has a rating to learn from");
      fuzz::require(shard.features.allFinite() && shard.target.allFinite(), "data are finite");
    }
  });
  return 0;
}
