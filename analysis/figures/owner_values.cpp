#include "analysis/figures/owner_values.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace hearsay::analysis {

namespace {

// A number of each owner, NaN where there is none; empty if there is none at all.
std::vector<double> owner_scalars(const std::vector<Scalar>& scalars, const std::string& name,
                                  const PointResult& point) {
  std::vector<double> all;
  for (const Scalar& s : scalars) {
    if (!s.agent || s.name != name) continue;
    all.resize(point.owners, std::nan(""));
    all.at(*s.agent - point.first_owner) = s.value;
  }
  return all;
}

GainCounts count_gains(const std::vector<Statistics>& gains) {
  GainCounts counts;
  double sum = 0;
  for (const Statistics& g : gains) {
    if (!std::isnan(g.mean)) sum += g.mean, ++counts.owners;
    counts.gain += g.mean > 0 ? 1u : 0u;
    counts.significant += g.mean_low > 0 ? 1u : 0u;
    counts.lose += g.mean_high < 0 ? 1u : 0u;
  }
  if (counts.owners > 0) counts.mean = sum / static_cast<double>(counts.owners);
  return counts;
}

// f(run) for every run, by owner.
template <class F>
std::vector<Statistics> over_runs(const std::vector<ReducedRun>& runs, std::size_t owners, bool antithetic,
                                  F&& f) {
  std::vector<Statistics> all;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < owners; ++i) {
    numbers.clear();
    for (const ReducedRun& run : runs) {
      if (antithetic) numbers.resize(run.repetition, std::nan(""));
      numbers.push_back(f(run, i));
    }
    all.push_back(statistics_of(numbers, antithetic));
  }
  return all;
}

}  // namespace

std::vector<std::size_t> spread(std::size_t size, std::size_t most) {
  std::vector<std::size_t> all;
  const std::size_t count = std::min(size, std::max<std::size_t>(most, 2));
  for (std::size_t i = 0; i < count; ++i) all.push_back(count < 2 ? 0 : i * (size - 1) / (count - 1));
  return all;
}

std::vector<Statistics> sample_of(std::vector<Statistics> values, std::size_t most) {
  std::erase_if(values, [](const Statistics& one) { return std::isnan(one.median); });  // they have no place
  std::ranges::sort(values, {}, &Statistics::median);
  std::vector<Statistics> some;
  for (const std::size_t i : spread(values.size(), most)) some.push_back(values[i]);
  return some;
}

bool takes_gradients_as_fixed(const std::vector<ReducedRun>& runs) {
  return std::ranges::any_of(runs, [](const ReducedRun& run) {
    return std::ranges::any_of(run.scalars, [](const Scalar& s) {
      return s.value == 0 && s.name.starts_with("seen.") && s.name.ends_with(".exact");
    });
  });
}

std::vector<SeenAtDistance> seen_at_distances(const std::vector<ReducedRun>& runs, bool antithetic) {
  struct Sums {
    double epsilon = 0, ledger = 0, owners = 0;
  };
  // Names are "seen.ADVERSARY.WHAT"; the distance of an owner comes after its epsilon.
  std::map<std::pair<std::string, double>, std::vector<Sums>> all;
  std::map<std::string, bool> exact;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    std::map<std::pair<std::string, sim::AgentId>, Sums> owners;
    for (const Scalar& s : runs[k].scalars) {
      if (!s.name.starts_with("seen.")) continue;
      const std::size_t dot = s.name.rfind('.');
      const std::string adversary = s.name.substr(5, dot - 5), what = s.name.substr(dot + 1);
      if (what == "exact") exact[adversary] = exact.emplace(adversary, true).first->second && s.value == 1;
      if (!s.agent) continue;
      Sums& owner = owners[{adversary, *s.agent}];
      if (what == "epsilon") owner.epsilon = s.value;
      if (what == "ledger") owner.ledger = s.value;
      if (what != "distance") continue;
      std::vector<Sums>& at = all[{adversary, s.value}];
      at.resize(runs.size());
      at[k] = {at[k].epsilon + owner.epsilon, at[k].ledger + owner.ledger, at[k].owners + 1};
    }
  }
  std::vector<SeenAtDistance> seen;
  for (const auto& one : all) {
    const auto& place = one.first;
    const std::vector<Sums>& sums = one.second;
    const auto over = [&](double Sums::*sum) {
      std::vector<double> means;
      for (std::size_t k = 0; k < sums.size(); ++k) {
        if (antithetic) means.resize(runs[k].repetition, std::nan(""));
        means.push_back(sums[k].*sum / sums[k].owners);
      }
      return statistics_of(means, antithetic);
    };
    seen.push_back(
        {place.first, exact[place.first], place.second, over(&Sums::epsilon), over(&Sums::ledger)});
  }
  return seen;
}

OwnerValues owner_values(const StudyHead& head, std::size_t m, const PointResult& point,
                         const std::vector<ReducedRun>& runs, bool detailed) {
  const MetricInfo& metric = head.metrics[m];
  OwnerValues out;
  const auto value = [&](const ReducedRun& run, std::size_t i) {
    const std::vector<double>& last = run.last[m];
    return last.empty() ? std::nan("") : last[metric.per_agent ? i : 0];
  };
  if (metric.per_agent && detailed && !runs.empty())
    out.values = over_runs(runs, point.owners, head.antithetic, value);
  for (const char* name : {"isolated", "pooled"}) {
    const std::string wanted = std::string(name) + "." + metric.name;
    const std::vector<double> of_point = owner_scalars(point.scalars, wanted, point);
    std::vector<std::vector<double>> of_runs;
    bool any = !of_point.empty();
    for (const ReducedRun& run : runs) {
      of_runs.push_back(owner_scalars(run.scalars, wanted, point));
      if (of_runs.back().empty()) of_runs.back() = of_point;
      any = any || !of_runs.back().empty();
    }
    if (!any || runs.empty()) continue;
    for (std::vector<double>& one : of_runs) one.resize(point.owners, std::nan(""));
    const auto baseline = [&](const ReducedRun& run, std::size_t i) {
      return of_runs[static_cast<std::size_t>(&run - runs.data())][i];
    };
    std::vector<double> medians, means;
    for (const Statistics& s : over_runs(runs, point.owners, head.antithetic, baseline)) {
      medians.push_back(s.median);
      means.push_back(s.mean);
    }
    out.baselines.emplace_back(name, std::move(medians));
    out.baseline_means.emplace_back(name, std::move(means));
    if (std::string_view(name) != "isolated") continue;
    const double sign = metric.better == Better::kHigher ? -1 : 1;
    out.gains = over_runs(runs, point.owners, head.antithetic, [&](const ReducedRun& run, std::size_t i) {
      return sign * (baseline(run, i) - value(run, i));
    });
    out.counts = count_gains(out.gains);
  }
  return out;
}

}  // namespace hearsay::analysis
