#pragma once
// What the options of data say of every data set that they make, before a record is made or read.
#include <optional>
#include <string_view>

#include "models/data/data_options.hpp"
#include "models/losses/loss.hpp"

namespace hearsay::models {

/// DataSet::bounds. Of lending_like the bound on the target is only known to be finite: the data set has it.
std::optional<DeclaredBounds> bounds_of(const DataOptions::Kind& data);

/// The number of owners of every data set that they make; nothing where it depends on what a file holds.
std::optional<std::size_t> owners_of(const DataOptions::Kind& data);

/// Numbers of owners and records, expected ones where the options draw them.
struct DataSize {
  double owners = 0, records = 0, test_records = 0;  ///< records: for training, of all owners
  double features = 0;                               ///< the constant one included
  double classes = 0;                                ///< 0 where there are none
};

/// Nothing of data from files, whose sizes are not known before they are read. Throws DataError as OwnerSizes::size().
std::optional<DataSize> size_of(const DataOptions::Kind& data, const sim::Streams& streams);

/// What targets are: any numbers, -1 and +1, or 0, ..., K - 1.
enum class Targets { kNumbers, kSigns, kClasses };

/// Nothing where a file may hold any.
std::optional<Targets> targets_of(const DataOptions::Kind& data);

/// Throws std::invalid_argument if the loss is for other targets than these.
void require_targets(const Loss& loss, Targets targets);

}  // namespace hearsay::models
