// A protocol that gives out a gradient. RELEASED, through release, compiles; each of the other ways must not.
#include "models/core/protocol.hpp"

namespace hearsay::models {

class Leaking {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr Entry kEntry{"leaking", "Gives out what it must not."};
  Leaking(const Params&, const Study&) {}

  void on_start(Context& context) { context.open_account(0, 10); }
  void on_tick(sim::AgentId i, Context& context) {
    Sensitive gradient = context.gradient(i, context.model(i));
#if defined(RELEASED)
    if (const auto noisy = context.release(i, std::move(gradient))) context.model(i) = *noisy;
    context.publish(i, context.model(i));
#elif defined(SENT)
    context.send(i, context.neighbours(i)[0], 0, 0, gradient);
#elif defined(PUBLISHED)
    context.publish(i, gradient);
#elif defined(MADE_PUBLIC)
    context.model(i) = gradient;
    context.publish(i, context.model(i));
#elif defined(KEPT_THEN_SENT)
    context.send(i, context.neighbours(i)[0], 0, 0, context.keep_local(std::move(gradient)));
#elif defined(KEPT_THEN_PUBLISHED)
    context.publish(i, context.keep_local(std::move(gradient)));
#elif defined(KEPT_THEN_MADE_PUBLIC)
    context.model(i) = context.keep_local(std::move(gradient));
    context.publish(i, context.model(i));
#elif defined(ADDED)
    context.model(i) += gradient;
#elif defined(COPIED)
    const Sensitive copy = gradient;
    context.release(i, std::move(gradient));
#elif defined(READ)
    context.model(i) = gradient.value_;
#endif
  }
};

static_assert(Protocol<Leaking>);
template class Driver<Leaking>;

}  // namespace hearsay::models
