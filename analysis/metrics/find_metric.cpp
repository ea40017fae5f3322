#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "analysis/metrics/measured_models.hpp"
#include "analysis/metrics/metric.hpp"
#include "analysis/store/study.hpp"
#include "sim/check.hpp"

namespace hearsay::analysis {

namespace {

// Every statistic of every metric with a value for each owner, and groups of those of models. `texts` holds the names and help texts.
void add_statistics(std::span<const Metric> metrics, std::deque<Metric>& all,
                    std::deque<std::string>& texts) {
  for (const Metric& m : metrics) {
    std::size_t k = 0;
    for (const sim::Choice& statistic : sim::kChoices<Statistic>) {
      const auto which = static_cast<Statistic>(k++);
      if (!m.per_agent && (m.of_models == nullptr || !is_group(which))) continue;
      Metric derived = m;
      derived.name = texts.emplace_back(fmt::format("{}.{}", m.name, statistic.name));
      derived.help = texts.emplace_back(fmt::format("{}: {}.", m.name, statistic.help));
      derived.of_world = nullptr;
      derived.of_models = nullptr;
      derived.per_agent = false;
      derived.of = &m;
      derived.statistic = which;
      all.push_back(derived);
    }
  }
}

template <class Metrics>
const Metric* find_in(const Metrics& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Metric::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

double Metric::mean(const models::World& world, std::span<double> values) const {
  measure(world, values);
  return mean_of_known(values);
}

void Metric::measure(const models::World& world, std::span<double> out) const {
  if (of_models != nullptr) {
    out[0] = of_models(world, MeasuredModels(world).columns());
  } else if (of != nullptr && of->of_models != nullptr) {
    const Eigen::MatrixXd some = MeasuredModels(world).of(statistic == Statistic::kHostile);
    out[0] = some.cols() == 0 ? std::numeric_limits<double>::quiet_NaN() : of->of_models(world, some);
  } else if (of != nullptr) {
    std::vector<double> values(world.problem().owners());
    of->measure(world, values);
    std::vector<bool> hostile;
    for (std::size_t owner = 0; of_group() && world.study.hostile != nullptr && owner < values.size();
         ++owner)
      hostile.push_back(world.study.hostile->is(world.agent(owner)));
    out[0] = statistic_of(statistic, values, world.problem(), better == Better::kHigher, hostile);
  } else if (of_world != nullptr) {
    of_world(world, out);
  } else {
    const bool own = models::declares(world.study.own_metrics, name);
    const models::Probe* const probe = own ? world.study.own_probe.get() : world.probe;
    sim::check(probe != nullptr, "a metric of a protocol is measured without one");
    probe->measure(name, world, out);
  }
}

const std::deque<Metric>& statistics() {
  static std::deque<std::string> texts;
  static std::deque<Metric> all;
  static std::size_t gathered = 0;  // of the metrics
  // A later declaration may change what is better.
  for (Metric& one : all) one.better = one.of->better;
  if (gathered == metrics().size()) return all;
  add_statistics(metrics().subspan(gathered), all, texts);
  gathered = metrics().size();
  return all;
}

const Metric* find_metric(std::string_view name) {
  const Metric* plain = find_in(metrics(), name);
  return plain != nullptr ? plain : find_in(statistics(), name);
}

}  // namespace hearsay::analysis
