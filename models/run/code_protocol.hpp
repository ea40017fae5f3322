#pragma once
// A protocol that is a class of another language.
#include "models/run/any_protocol.hpp"
#include "sim/options/code.hpp"

namespace hearsay::models {

/// A class that has been loaded as a protocol.
class ProtocolCode : public sim::Code {
 public:
  Entry entry{};  ///< with views of texts of this object
  std::vector<ProtocolMetric> metrics{};

  /// Throws what the class says is wrong, std::invalid_argument.
  virtual void check(const std::vector<sim::CodeValue>& values, const Study& study) const = 0;
  /// Throws std::runtime_error for an exception of the class.
  virtual sim::End run(const std::vector<sim::CodeValue>& values, World& world, Observer& observer) const = 0;
};

/// The row "python" of the table of protocols.
ProtocolRow code_row();

}  // namespace hearsay::models
