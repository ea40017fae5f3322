#include "models/data/python_data.hpp"

#include <utility>

#include "models/data/records_of.hpp"

namespace hearsay::models {

namespace {

// Moves some of an owner's records, drawn as those of a csv are, to its test records.
void hold_out(Shard& train, Shard& test, double fraction, sim::Stream stream) {
  const auto size = static_cast<std::size_t>(train.target.size());
  const auto held = choose_test(size, fraction, std::move(stream));
  std::vector<Eigen::Index> kept, tested;
  for (std::size_t k = 0; k < size; ++k) (held[k] ? tested : kept).push_back(static_cast<Eigen::Index>(k));
  test = records_of(train, tested);
  train = records_of(train, kept);
}

}  // namespace

void PythonData::describe(sim::Visitor& v) {
  v(test_fraction, {.name = "test_fraction",
                    .help = "Fraction of each owner's records held out for testing, where the class makes no "
                            "test records.",
                    .min = 0,
                    .max = 1,
                    .open_max = true});
  v(draw, {.name = "draw", .help = "How often data are made."});
  code.describe(v);
}

DataSet make_data(const PythonData& options, const sim::Streams& streams) {
  DataSet data = options.code.as<DataCode>().make(options.code.values(), streams);
  for (std::size_t i = 0; i < data.owners(); ++i) {
    if (options.test_fraction > 0 && data.test[i].target.size() == 0)
      hold_out(data.train[i], data.test[i], options.test_fraction, data_stream(streams, i, DataDraw::kSplit));
  }
  return data;
}

}  // namespace hearsay::models
