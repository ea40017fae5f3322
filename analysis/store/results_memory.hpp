#pragma once
// The memory of results: of the series that runs record, and of writing them.
#include "analysis/store/series_rows.hpp"
#include "analysis/store/store_writer.hpp"
#include "analysis/store/study.hpp"
#include "sim/memory.hpp"

namespace hearsay::analysis {

/// Of the series of one run with so many samples of `width` values.
inline sim::Memory memory_of_series(double samples, double width) {
  const sim::Memory places = sim::grown(samples, sizeof(Sample)),
                    values = sim::grown(samples, width * sizeof(double));
  return {places.held + values.held, places.making + values.making};
}

/// While a series is stored or read: a row of the store, and SQLite's copy of it.
inline double memory_of_storing(double samples, double width) {
  const double sample = sizeof(Sample) + width * sizeof(double);
  return 2 * std::min(samples * sample, sample + kSeriesBlock * sizeof(double));
}

/// Series that wait to be stored while `threads` make `runs` runs.
inline double memory_of_waiting(double samples, double width, double runs, double threads) {
  constexpr double kSamplesPerSecond = 1e6;  // that a thread records at most
  const double sample = sizeof(Sample) + width * sizeof(double);
  const double made = threads * kSamplesPerSecond * std::chrono::duration<double>(StoreWriter::kHold).count();
  const double others = std::min(std::max(0.0, runs - threads), double{StoreWriter::kMostWaiting});
  return std::min(others * samples, made) * sample;
}

/// Of the final models of one run, that so many agents keep.
inline double memory_of_models(double agents, double parameters) {
  return agents * (sizeof(AgentModel) + parameters * sizeof(double));
}

/// Final models of `bytes` each run that wait to be stored, likewise.
inline double memory_of_waiting_models(double bytes, double runs, double threads) {
  constexpr double kBytesPerSecond = 1e8;  // of models with which a thread ends its runs at most
  const double made = threads * kBytesPerSecond * std::chrono::duration<double>(StoreWriter::kHold).count();
  return std::min(std::min(std::max(0.0, runs - threads), double{StoreWriter::kMostWaiting}) * bytes, made);
}

/// When the tables are written: the series of one run, read; or those of all repetitions of a point, with the samples
/// that are at equal places.
inline double memory_of_tables(double samples, double width, double repetitions, bool aggregate) {
  const double series = samples * (sizeof(Sample) + width * sizeof(double));
  const double one = series + memory_of_storing(samples, width);
  if (!aggregate) return one;
  constexpr double kNode = 96, kPlace = 2 * sizeof(std::size_t);
  return one + repetitions * series + samples * (kNode + sim::grown(repetitions, kPlace).peak());
}

}  // namespace hearsay::analysis
