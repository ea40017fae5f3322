// A protocol that releases a gradient, and with LEAKING reveals it in every other way: each of these lines must be an
// error that names Sensitive, LocalVector for what is kept inside an owner, EntrustedSum for what the hub collects, or
// PublicProblem, which has no records.
#include "models/run/driver.hpp"

namespace hearsay::models {

class Leaking {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr Entry kEntry{"leaking", "Reveals private data."};
  Leaking(const Params&, [[maybe_unused]] const Study& study) {
#if defined(LEAKING)
    step_ = 1 / study.problem.hessian_extremes().second;        // refused
    step_ = study.problem.data().train[0].target[0];            // refused
    step_ = study.problem.objective(Eigen::VectorXd::Zero(1));  // refused
#endif
    step_ = 1 / study.exact("protocol.step: step from private data").hessian_extremes().second;
  }

  void on_start(Context& context) {
    context.open_account(0, 10);
  }
  void on_tick(sim::AgentId i, Context& context) {
    Sensitive gradient = context.gradient(i, context.model(i));
#if defined(LEAKING)
    context.send(i, context.neighbours(i)[0], 0, 0, gradient);                                 // refused
    context.publish(i, gradient);                                                              // refused
    context.model(i) = gradient;                                                               // refused
    context.model(i) += gradient;                                                              // refused
    const Sensitive copy = gradient;                                                           // refused
    context.model(i) = gradient.value_;                                                        // refused
    context.send(i, context.neighbours(i)[0], 0, 0, context.keep_local(std::move(gradient)));  // refused
    context.publish(i, context.keep_local(std::move(gradient)));                               // refused
    context.model(i) = context.keep_local(std::move(gradient));                                // refused
    context.send(0, i, 0, 0, entrusted_);                                                      // refused
    context.model(0) = entrusted_;                                                             // refused
    context.model(0) = entrusted_.sum_;                                                        // refused
#endif
    context.entrust(i, 0, 0, update_);
    if (const auto noisy = context.release(entrusted_, 1)) context.model(0) = *noisy;
    if (const auto noisy = context.release(i, std::move(gradient))) context.model(i) = *noisy;
    context.publish(i, context.model(i));
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(update_, entrusted_);
  }

 private:
  double step_ = 0;
  LocalVector update_;
  EntrustedSum entrusted_{1, 1};
};

static_assert(Protocol<Leaking>);
template class Driver<Leaking>;

}  // namespace hearsay::models
