#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "models/data/ratings/ratings.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

constexpr std::size_t kRank = 5;
using Factors = std::array<double, kRank>;

struct Item {
  double weight, bias;
  Factors factors;
};

std::vector<Item> draw_items(std::size_t count, const sim::Streams& streams) {
  std::vector<Item> items(count);
  for (std::size_t j = 0; j < count; ++j) {
    auto stream = data_stream(streams, kWholeStudy, DataDraw::kParameters, Instances::kTest, j);
    items[j].weight = std::exp(sim::normal(stream, 0, 1.5));
    items[j].bias = sim::normal(stream, 0, 0.5);
    for (double& f : items[j].factors) f = sim::normal(stream);
  }
  return items;
}

// Whole numbers in [least, most] of the given total, near least + c z with one c for all.
std::vector<std::size_t> scale_to_total(const std::vector<double>& z, std::size_t least, std::size_t most,
                                        std::size_t total) {
  const auto counts = [&](double c) {
    std::vector<std::size_t> n(z.size());
    std::transform(z.begin(), z.end(), n.begin(), [&](double v) {
      return least + static_cast<std::size_t>(std::min(std::floor(c * v), static_cast<double>(most - least)));
    });
    return n;
  };
  const auto sum = [](const auto& n) { return std::accumulate(n.begin(), n.end(), std::size_t{0}); };
  double low = 0, high = 1;
  while (sum(counts(high)) < total && high < 1e12) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (sum(counts(middle)) <= total ? low : high) = middle;
  }
  std::vector<std::size_t> n = counts(low);
  std::size_t missing = total - sum(n);
  for (std::size_t i = 0; missing > 0; i = (i + 1) % n.size()) {
    if (n[i] == most) continue;
    ++n[i];
    --missing;
  }
  return n;
}

// `count` items without replacement, in proportion to their weights at each draw: those whose exponential
// times of rate `weight` come first (Efraimidis and Spirakis, 2006).
std::vector<std::size_t> pick(const std::vector<Item>& items, std::size_t count, sim::Stream stream) {
  std::vector<std::pair<double, std::size_t>> times;
  for (std::size_t j = 0; j < items.size(); ++j)
    times.emplace_back(sim::exponential(stream) / items[j].weight, j);
  std::partial_sort(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count), times.end());
  std::vector<std::size_t> picked;
  for (std::size_t k = 0; k < count; ++k) picked.push_back(times[k].second);
  std::sort(picked.begin(), picked.end());
  return picked;
}

}  // namespace

Ratings generate_ratings(const RatingsShape& shape, const sim::Streams& streams) {
  const std::vector<Item> items = draw_items(shape.items, streams);
  std::vector<double> size;
  for (std::size_t i = 0; i < shape.users; ++i) {
    auto stream = data_stream(streams, i, DataDraw::kSize);
    size.push_back(std::exp(sim::normal(stream, 0, 0.925)));
  }
  const auto count =
      scale_to_total(size, RatingsShape::kLeast, std::min(RatingsShape::kMost, shape.items), shape.ratings);

  Ratings out{.of_user = {}, .items = shape.items, .user_names = numbered("user ", shape.users)};
  for (std::size_t i = 0; i < shape.users; ++i) {
    auto own = data_stream(streams, i, DataDraw::kParameters);
    const double mean = sim::normal(own, 3.53, 0.45);
    Factors taste;
    for (double& f : taste) f = sim::normal(own);
    auto noise = data_stream(streams, i, DataDraw::kTargetNoise);
    std::vector<Rating>& ratings = out.of_user.emplace_back();
    for (const std::size_t j : pick(items, count[i], data_stream(streams, i, DataDraw::kFeatures))) {
      const double liking = std::inner_product(taste.begin(), taste.end(), items[j].factors.begin(), 0.0);
      const double score = mean + items[j].bias + 0.2 * liking + sim::normal(noise, 0, 0.75);
      ratings.push_back({j, std::clamp(std::round(score), 1.0, 5.0)});
    }
  }
  return out;
}

}  // namespace hearsay::models
