#include "models/privacy/accountants/accountant.hpp"

#include <stdexcept>

#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/theorems/closed_forms.hpp"

namespace hearsay::models {

namespace {

class Watched {
 public:
  explicit Watched(AccountantWatch* watch) : watch_(watch) {
    if (watch_ != nullptr) watch_->begin();
  }
  ~Watched() {
    if (watch_ != nullptr) watch_->end();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  AccountantWatch* watch_;
};

// The total epsilon at delta x, or the total delta at epsilon x.
double epsilon_or_delta(std::span<const StepRun> runs, double x, const AccountantOptions& o, bool epsilon) {
  const Watched watched(o.watch);
  switch (o.accountant) {
    case Accountant::kBasic:
      break;
    case Accountant::kKairouz:
      return epsilon ? kairouz_epsilon(runs, x) : kairouz_delta(runs, x);
    case Accountant::kKairouzExact:
      return epsilon ? kairouz_exact_epsilon(runs, x) : kairouz_exact_delta(runs, x);
    case Accountant::kZcdp:
      return epsilon ? zcdp_epsilon(runs, x) : zcdp_delta(runs, x);
    case Accountant::kRdp:
      return epsilon ? rdp_epsilon(runs, x, o.adjacency) : rdp_delta(runs, x, o.adjacency);
    case Accountant::kPld:
      return epsilon ? pld_epsilon(runs, x, o.adjacency) : pld_delta(runs, x, o.adjacency);
  }
  throw std::logic_error("unknown accountant");
}

}  // namespace

Guarantee total_guarantee(std::span<const StepRun> runs, const AccountantOptions& o) {
  if (o.accountant == Accountant::kBasic) {
    const BasicTotal basic = basic_total(runs);
    return {basic.epsilon, basic.delta, o.accountant, o.adjacency};
  }
  return {epsilon_or_delta(runs, o.delta, o, true), o.delta, o.accountant, o.adjacency};
}

double total_delta(std::span<const StepRun> runs, double epsilon, const AccountantOptions& o) {
  if (o.accountant != Accountant::kBasic) return epsilon_or_delta(runs, epsilon, o, false);
  const BasicTotal basic = basic_total(runs);
  return basic.epsilon <= epsilon ? basic.delta : 1;
}

}  // namespace hearsay::models
