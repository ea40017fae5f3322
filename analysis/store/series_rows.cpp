#include "analysis/store/series_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <span>

#include "analysis/store/output_file.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

using SampleWords = std::array<double, sizeof(Sample) / sizeof(double)>;
constexpr std::size_t kSampleSize = std::tuple_size_v<SampleWords>;

}  // namespace

void write_series(Database& database, std::int64_t run, const Series& series, std::size_t width) {
  const std::size_t samples = series.samples.size();
  sim::check(series.values.size() == samples * width,
             "a run recorded other numbers than its study's metrics");
  std::vector<double> words;
  words.reserve(std::min(samples * (kSampleSize + width), kSeriesBlock + kSampleSize + width));
  for (std::size_t k = 0; k < samples; ++k) {
    std::ranges::copy(std::bit_cast<SampleWords>(series.samples[k]), std::back_inserter(words));
    std::ranges::copy(std::span(series.values).subspan(k * width, width), std::back_inserter(words));
    if (words.size() < kSeriesBlock && k + 1 < samples) continue;
    database.execute("INSERT INTO series (run, data) VALUES (?,?)", run, words);
    words.clear();
  }
}

Series read_series(Database& database, std::int64_t run, std::size_t width) {
  Series series;
  const auto bytes =
      database.first<std::size_t>("SELECT sum(length(data)) FROM series WHERE run = ?", run).value();
  // The width is that of the metrics, which are stored elsewhere.
  const std::size_t size = kSampleSize + std::min(width, bytes);
  series.samples.reserve(bytes / sizeof(double) / size);
  series.values.reserve(bytes / sizeof(double) / size * (size - kSampleSize));
  Statement& rows = database.prepared("SELECT data FROM series WHERE run = ? ORDER BY rowid")(run);
  while (rows.step()) {
    const auto words = rows.get<std::vector<double>>(0);
    if (words.size() < width || words.size() % size != 0)
      throw OutputError(fmt::format("{}: damaged: series of run {}", database.path().string(), run));
    for (auto at = words.begin(); at != words.end();) {
      SampleWords sample;
      at = std::ranges::copy_n(at, kSampleSize, sample.begin()).in;
      series.samples.push_back(std::bit_cast<Sample>(sample));
      const auto end = at + static_cast<std::ptrdiff_t>(width);
      series.values.insert(series.values.end(), at, end);
      at = end;
    }
  }
  return series;
}

}  // namespace hearsay::analysis
