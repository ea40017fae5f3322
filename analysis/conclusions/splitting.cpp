#include "analysis/conclusions/splitting.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "sim/parallel/crew.hpp"

namespace hearsay::analysis {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLong = 1e6;  // ns of a trajectory, so that they are divided among threads

// The trajectories of a stage, each to `level` or its end: from the start, or from those that reached the level before, in
// their order from a random place on.
std::vector<Trajectory> stage(const std::vector<Trajectory>& reached, bool is_first, double level,
                              std::uint32_t effort, std::uint32_t first, double place,
                              Trajectories& trajectories) {
  std::vector<Trajectory> all(effort);
  sim::Crew::each(effort, effort * kLong, [&](std::size_t k) {
    const auto number = first + static_cast<std::uint32_t>(k);
    if (is_first) return static_cast<void>(all[k] = trajectories.simulate(number, nullptr, level));
    const double at = (static_cast<double>(k) + place) / effort * static_cast<double>(reached.size());
    const Trajectory& from = reached[std::min(static_cast<std::size_t>(at), reached.size() - 1)];
    const bool stays = from.state == nullptr || from.most >= level;
    all[k] = stays ? from : trajectories.simulate(number, &from, level);
    all[k].most = std::max(all[k].most, from.most);
  });
  return all;
}

std::vector<Trajectory> reaching(std::vector<Trajectory> all, double level) {
  std::erase_if(all, [level](const Trajectory& t) { return !(t.most >= level); });
  return all;
}

}  // namespace

RareEvent split(const std::vector<double>& levels, std::uint32_t effort, std::uint32_t first,
                double confidence, const std::function<double(std::uint32_t)>& place,
                Trajectories& trajectories) {
  RareEvent event{.probability = {.value = 1}};
  std::vector<Trajectory> reached;
  double variance = 0, bound = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto number = first + static_cast<std::uint32_t>(i) * effort;
    if (i == 0 || !reached.empty())
      reached =
          reaching(stage(reached, i == 0, levels[i], effort, number, place(number), trajectories), levels[i]);
    event.stages.push_back({levels[i], reached.size()});
    const double share = static_cast<double>(reached.size()) / effort;
    event.probability.value *= share;
    if (share > 0) {
      variance += (1 - share) / (share * effort);
      bound *= share;
    } else if (i == 0 || event.stages[i - 1].reached > 0) {
      bound *= 1 - std::pow((1 - confidence) / 2, 1.0 / effort);
    }
  }
  Estimate& p = event.probability;
  const double quantile = boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
  const double factor = std::exp(quantile * std::sqrt(variance));
  p.low = p.value / factor;
  p.high = p.value > 0 ? std::min(1.0, p.value * factor) : bound;
  return event;
}

std::vector<double> choose_levels(double last, double share, std::uint32_t effort, std::uint32_t first,
                                  const std::function<double(std::uint32_t)>& place,
                                  Trajectories& trajectories) {
  std::vector<double> levels;
  std::vector<Trajectory> reached;
  while (levels.size() + 1 < kMostLevels) {
    const auto number = first + static_cast<std::uint32_t>(levels.size()) * effort;
    std::vector<double> most;
    for (const Trajectory& t :
         stage(reached, levels.empty(), kInfinite, effort, number, place(number), trajectories))
      most.push_back(t.most);
    std::ranges::sort(most);
    double next = most[static_cast<std::size_t>((1 - share) * (effort - 1))];
    // Of a level function with few values, the least that is beyond the level before.
    const double before = levels.empty() ? -kInfinite : levels.back();
    if (!(next > before)) {
      const auto beyond = std::ranges::upper_bound(most, before);
      next = beyond == most.end() ? last : *beyond;
    }
    if (!(next < last)) break;
    // The same trajectories once more, until they reach the level.
    reached =
        reaching(stage(reached, levels.empty(), next, effort, number, place(number), trajectories), next);
    levels.push_back(next);
  }
  levels.push_back(last);
  return levels;
}

}  // namespace hearsay::analysis
