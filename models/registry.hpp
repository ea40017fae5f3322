#pragma once
// The table of protocols. A program of one's own adds entries to it before it calls the command line.
#include <memory>
#include <vector>

#include "models/run/any_protocol.hpp"

namespace hearsay::models {

/// All rows; hearsay's own first.
std::vector<ProtocolRow>& protocols();

/// Throws std::invalid_argument if the schedule is one that the protocol does not offer.
void require_schedule(const Entry& entry, Schedule schedule);

/// Throws std::invalid_argument if the budget is given in total where the protocol takes it by turn, or the other
/// way round. `active`: whether there is one.
void require_budget(const Entry& entry, bool active, bool by_turn);

/// Throws std::invalid_argument if whom the owners trust does not fit the protocol. `active`: whether there is privacy.
void require_trust(const Entry& entry, bool active, Trust trust);

/// The protocol of a scenario: a member selected by "type" from the rows of the table.
class ProtocolChoice {
 public:
  ProtocolChoice();
  ProtocolChoice(const ProtocolChoice& other) : held_(other.held_->clone()) {}
  ProtocolChoice& operator=(const ProtocolChoice& other) {
    held_ = other.held_->clone();
    return *this;
  }
  ProtocolChoice(ProtocolChoice&&) = default;
  ProtocolChoice& operator=(ProtocolChoice&&) = default;
  ~ProtocolChoice() = default;

  const AnyProtocol& operator*() const { return *held_; }
  const AnyProtocol* operator->() const { return held_.get(); }
  void describe_as(sim::Visitor& v, const sim::About& about);

 private:
  std::unique_ptr<AnyProtocol> held_;
};

}  // namespace hearsay::models
