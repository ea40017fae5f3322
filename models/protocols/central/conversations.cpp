#include "models/protocols/central/conversations.hpp"

#include <utility>

namespace hearsay::models {

Conversations::Conversations(Eigen::Index p) : p_(p), ring_(1) {
  ring_[0].bar.setZero(p_);
  ring_[0].sum.setZero(p_);
}

Conversation& Conversations::begin(std::size_t party, std::uint64_t iteration) {
  while (first_ != next_ && slot(first_).number != first_) ++first_;
  if (next_ - first_ == ring_.size()) grow();
  Conversation& c = slot(next_);
  c.number = next_++;
  c.party = party;
  c.iteration = iteration;
  c.answers = 0;
  c.weight = 0;
  ++open_;
  return c;
}

Conversation* Conversations::find(std::uint32_t number) {
  Conversation& c = slot(number);
  return number != 0 && c.number == number ? &c : nullptr;
}

void Conversations::add(Conversation& c, double weight, const Eigen::Ref<const Eigen::VectorXd>& q,
                        sim::Time sent) {
  if (c.answers == 0) {
    c.sum = weight * q;
  } else {
    c.sum += weight * q;
  }
  ++c.answers;
  c.weight += weight;
  c.sent = sent;
}

void Conversations::close(Conversation& c) {
  c.number = 0;
  --open_;
}

void Conversations::close_all() {
  for (Conversation& c : ring_) c.number = 0;
  open_ = 0;
}

void Conversations::grow() {
  std::vector<Conversation> old(2 * ring_.size());
  old.swap(ring_);
  for (Conversation& c : ring_) {
    c.bar.setZero(p_);
    c.sum.setZero(p_);
  }
  for (Conversation& c : old) {
    if (c.number != 0) slot(c.number) = std::move(c);
  }
}

}  // namespace hearsay::models
