#pragma once
// Drawing the records of generated data on several threads: the same records as on one.
#include <atomic>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"
#include "sim/parallel/crew.hpp"

namespace hearsay::models {

constexpr double kDrawTime = 10;  // ns a number

/// Draws `count` records, for each of which a stream gives `words` words: draw(begin, end, stream) draws records begin,
/// ..., end - 1 from a stream that has come to the first of them. It may draw a record again, and must then set it to
/// the same. Where a draw rejects words, about once in 1e16, all are drawn again in their order.
template <class Draw>
void draw_records(std::size_t count, std::size_t words, const sim::Stream& stream, Draw&& draw) {
  std::atomic<bool> rejected = false;
  sim::Crew::divide(count, kDrawTime * static_cast<double>(count) * static_cast<double>(words),
                    [&](std::size_t begin, std::size_t end) {
                      sim::Stream own = stream;
                      own.skip(begin * words);
                      draw(begin, end, own);
                      if (own.drawn() != end * words) rejected = true;
                    });
  if (!rejected) return;
  sim::Stream again = stream;
  draw(std::size_t{0}, count, again);
}

/// Makes the records of all owners, who are named in `out` with the features: make(i, train, test) sets those of owner i.
/// `shares`: it draws them by draw_records itself, so that large owners are made one after another.
template <class Options, class Make>
void draw_shards(DataSet& out, const Options& options, const sim::Streams& streams, bool shares,
                 Make&& make) {
  constexpr double kLarge = 1e6;  // ns
  const std::size_t owners = out.owner_names.size();
  out.train.resize(owners);
  out.test.resize(owners);
  double records = expected_records(options, owners, streams);
  if constexpr (requires { options.test_records; })
    records += static_cast<double>(owners) * static_cast<double>(options.test_records);
  const double time = kDrawTime * records * static_cast<double>(out.feature_names.size());
  const auto one = [&](std::size_t i) { make(i, out.train[i], out.test[i]); };
  if (shares && time >= kLarge * static_cast<double>(owners)) {
    for (std::size_t i = 0; i < owners; ++i) one(i);
  } else {
    sim::Crew::each(owners, time, one);
  }
}

}  // namespace hearsay::models
