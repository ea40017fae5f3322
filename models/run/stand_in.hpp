#pragma once
// What takes the place of private data and of noise in a run that looks at no record: a rehearsal (rehearsal.hpp), or the
// run that follows where every release goes (models/views). All that happens in such a run is what happens in the run
// that it stands for, as long as no event depends on a value.
#include <Eigen/Core>

#include "models/privacy/accountants/step.hpp"
#include "sim/events/event.hpp"

namespace hearsay::models {

class StandIn {
 public:
  using In = Eigen::Ref<const Eigen::VectorXd>;
  using Out = Eigen::Ref<Eigen::VectorXd>;

  StandIn() = default;
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;
  virtual ~StandIn() = default;

  /// Whether vectors are not parameters but stand for them: where they were computed from is followed.
  virtual bool follows() const { return false; }
  /// In place of a gradient at theta over agent i's records, `whole`: the mean over all of them, none scaled down.
  virtual void gradient(sim::AgentId i, const In& theta, bool whole, Out out) {
    static_cast<void>(i), static_cast<void>(theta), static_cast<void>(whole);
    out.setZero();
  }
  /// In place of the noise of agent i's next release of `out`, which costs `step`; null: nothing. `sensitivity` is infinite
  /// where the noise is not independent or not added.
  virtual void release(sim::AgentId i, const Step* step, double sensitivity, Out out) {
    static_cast<void>(i), static_cast<void>(step), static_cast<void>(sensitivity), static_cast<void>(out);
  }
  /// `x` is from now on a function of `input`, and of what it was made of before, that is not linear. `input` may be `x`.
  virtual void transform(Out x, const In& input) { static_cast<void>(x), static_cast<void>(input); }
};

}  // namespace hearsay::models
