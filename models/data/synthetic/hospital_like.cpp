#include "models/data/synthetic/hospital_like.hpp"

#include <fmt/format.h>

#include "models/data/synthetic/lending_like.hpp"

namespace hearsay::models {

void HospitalLike::describe(sim::Visitor& v) {
  v(owners, {.name = "owners", .help = "Number of hospitals.", .min = 1, .max = 1e8});
  v(records,
    {.name = "records",
     .help =
         "Number of records of each hospital: a number, a distribution drawn once per hospital, or a list."});
  v(features, {.name = "features", .help = "Number of features p.", .min = 1, .max = 1e5});
  v(noise, {.name = "noise", .help = "Standard deviation of the target's noise.", .min = 0});
  v(heterogeneity, {.name = "heterogeneity",
                    .help = "Standard deviation of a hospital's parameters around the common ones; 0: all "
                            "hospitals have the same parameters.",
                    .min = 0});
  v(test_records,
    {.name = "test_records", .help = "Number of test records of each hospital, in addition to `records`."});
  v(draw, kAboutDraw);
  v.check(!records.list() || records.list()->values.size() == owners, "records",
          fmt::format("expected {} values, one a hospital, found {}", owners,
                      records.list() ? records.list()->values.size() : 0));
}

DataSet make_data(const HospitalLike& options, const sim::Streams& streams) {
  DataSet out = make_data(LendingLike{.owners = options.owners,
                                      .records = options.records,
                                      .features = options.features,
                                      .noise = options.noise,
                                      .heterogeneity = options.heterogeneity,
                                      .test_records = options.test_records,
                                      .draw = options.draw},
                          streams);
  for (std::size_t i = 0; i < options.owners; ++i) out.owner_names[i] = fmt::format("hospital {}", i + 1);
  return out;
}

}  // namespace hearsay::models
