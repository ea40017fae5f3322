#include "models/data/python_data.hpp"

#include "models/data/records_of.hpp"

namespace hearsay::models {

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
      data.test[i] =
          hold_out(data.train[i], options.test_fraction, data_stream(streams, i, DataDraw::kSplit));
  }
  return data;
}

}  // namespace hearsay::models
