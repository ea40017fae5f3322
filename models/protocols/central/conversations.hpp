#pragma once
// The conversations that a learner has under way: what it asked, whom, and what has been answered so far.
#include <Eigen/Core>

#include <cstdint>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::models {

struct Conversation {
  std::uint32_t number = 0;     ///< 0: closed
  std::size_t party = 0;        ///< who is asked
  std::uint64_t iteration = 0;  ///< iterations complete when it was begun
  std::size_t answers = 0;      ///< that have come
  double weight = 0;            ///< sum of their weights
  sim::Time sent = 0;           ///< when the latest of them was sent
  Eigen::VectorXd bar = {};     ///< the point asked about
  Eigen::VectorXd sum = {};     ///< of the answers, weighted
};

/// Numbered 1, 2, ... in the order in which they begin. Finding one is O(1); nothing is allocated but where
/// more are open at a time than ever before.
class Conversations {
 public:
  explicit Conversations(Eigen::Index p);

  /// Begins the next one. Invalidates what find() has given.
  Conversation& begin(std::size_t party, std::uint64_t iteration);
  /// The open conversation of a number, or null.
  Conversation* find(std::uint32_t number);
  /// Adds an answer, or a part of one.
  static void add(Conversation& c, double weight, const Eigen::Ref<const Eigen::VectorXd>& q, sim::Time sent);
  void close(Conversation& c);
  void close_all();
  std::size_t open() const { return open_; }

 private:
  Conversation& slot(std::uint32_t number) { return ring_[number & (ring_.size() - 1)]; }
  void grow();

  Eigen::Index p_;
  std::vector<Conversation> ring_;  // by number modulo its size, a power of 2
  std::uint32_t first_ = 1;         // none before it is open
  std::uint32_t next_ = 1;
  std::size_t open_ = 0;
};

}  // namespace hearsay::models
