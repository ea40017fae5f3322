#include "models/privacy/accountants/accountant.hpp"

#include <stdexcept>

#include "models/privacy/accountants/pld/pld.hpp"
#include "models/privacy/accountants/renyi/rdp.hpp"
#include "models/privacy/accountants/theorems/basic.hpp"
#include "models/privacy/accountants/theorems/kairouz.hpp"
#include "models/privacy/accountants/theorems/kairouz_exact.hpp"
#include "models/privacy/accountants/theorems/zcdp.hpp"

namespace hearsay::models {

std::string_view name_of(Accountant accountant) {
  return sim::Choices<Accountant>::kValues[static_cast<std::size_t>(accountant)].name;
}

void AccountantOptions::describe(sim::Visitor& v) {
  v(accountant, {.name = "accountant", .help = "Method that composes the releases of an agent."});
  v(delta, {.name = "delta",
            .help = "Delta of the total guarantee; required with every accountant except basic.",
            .min = 0,
            .max = 1,
            .open_max = true});
  v(adjacency, {.name = "adjacency", .help = "Definition of neighbouring data sets."});
  v.check(accountant == Accountant::kBasic || delta > 0, "delta",
          "must be greater than 0 for every accountant but basic");
}

Guarantee total_guarantee(std::span<const StepRun> runs, const AccountantOptions& o) {
  Guarantee total{.delta = o.delta, .accountant = o.accountant, .adjacency = o.adjacency};
  switch (o.accountant) {
    case Accountant::kBasic: {
      const BasicTotal basic = basic_total(runs);
      total.epsilon = basic.epsilon;
      total.delta = basic.delta;
      return total;
    }
    case Accountant::kKairouz:
      total.epsilon = kairouz_epsilon(runs, o.delta);
      return total;
    case Accountant::kKairouzExact:
      total.epsilon = kairouz_exact_epsilon(runs, o.delta);
      return total;
    case Accountant::kZcdp:
      total.epsilon = zcdp_epsilon(runs, o.delta);
      return total;
    case Accountant::kRdp:
      total.epsilon = rdp_epsilon(runs, o.delta, o.adjacency);
      return total;
    case Accountant::kPld:
      total.epsilon = pld_epsilon(runs, o.delta, o.adjacency);
      return total;
  }
  throw std::logic_error("unknown accountant");
}

double total_delta(std::span<const StepRun> runs, double epsilon, const AccountantOptions& o) {
  switch (o.accountant) {
    case Accountant::kBasic: {
      const BasicTotal basic = basic_total(runs);
      return basic.epsilon <= epsilon ? basic.delta : 1;
    }
    case Accountant::kKairouz:
      return kairouz_delta(runs, epsilon);
    case Accountant::kKairouzExact:
      return kairouz_exact_delta(runs, epsilon);
    case Accountant::kZcdp:
      return zcdp_delta(runs, epsilon);
    case Accountant::kRdp:
      return rdp_delta(runs, epsilon, o.adjacency);
    case Accountant::kPld:
      return pld_delta(runs, epsilon, o.adjacency);
  }
  throw std::logic_error("unknown accountant");
}

}  // namespace hearsay::models
