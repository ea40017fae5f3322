#include "models/data/data_options.hpp"

#include "models/data/records_of.hpp"

namespace hearsay::models {

void Validation::describe(sim::Visitor& v) {
  v(fraction,
    {.name = "validation_fraction",
     .help = "Fraction of each owner's training records held out for validation: only a study that chooses "
             "options looks at them, in place of test records.",
     .min = 0,
     .max = 1,
     .open_max = true});
  v(instances, {.name = "instances", .help = "Records that test metrics are of: test, or validation ones."});
  v.check(instances == Instances::kTest || fraction > 0, "instances",
          "validation requires records that are held out for it: set validation_fraction");
}

void DataOptions::describe_as(sim::Visitor& v, const sim::About& about) {
  v.variant(kind_, about, validation_, []<class Kind>(sim::Visitor& inner, Kind&, Validation& validation) {
    if constexpr (!requires(Kind k) { k.instances; }) validation.describe(inner);
  });
  const auto* const lending = std::get_if<LendingLike>(&kind_);
  v.check(lending == nullptr || !lending->whiten || validation_.fraction == 0,
          std::string(about.name) + "/validation_fraction",
          "expected 0 with whiten, which transforms the features of all records together");
}

DataSet make_data(const DataOptions& options, const sim::Streams& streams) {
  const Validation& validation = options.validation();
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, CsvData>) {
          return make_data(kind, streams, validation.fraction, validation.instances);
        } else {
          DataSet data = make_data(kind, streams);
          for (std::size_t i = 0; validation.fraction > 0 && i < data.owners(); ++i) {
            Shard held = hold_out(data.train[i], validation.fraction,
                                  data_stream(streams, i, DataDraw::kSplit, Instances::kValidation));
            if constexpr (std::is_same_v<Kind, LowRankTasks>) {  // fitted to what is left
              if (kind.standardise_target) standardise_targets(i, data.train[i], {&data.test[i], &held});
            }
            if (validation.instances == Instances::kValidation) data.test[i] = std::move(held);
          }
          return data;
        }
      },
      options.kind());
}

}  // namespace hearsay::models
