#include "models/data/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/data/data_set.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {
namespace {

using Positions = std::vector<std::size_t>;

constexpr std::size_t kMaxPartitionDraws = 1000;

constexpr sim::About kAboutOwners{.name = "owners", .help = "Number of owners.", .min = 1, .max = 1e8};
constexpr sim::About kAboutConcentration{.name = "alpha",
                                         .help =
                                             "Concentration of the Dirichlet distribution: small values make "
                                             "the owners different, large ones equal.",
                                         .min = 0,
                                         .max = 1e9,
                                         .open_min = true};
constexpr sim::About kAboutLeastRecords{
    .name = "min_records",
    .help = "Draw the fractions again until every owner has this many rows; 0: exclude owners without rows.",
    .max = 1e9};

constexpr sim::About kAboutBy{
    .name = "by",
    .help =
        "Column whose values are the classes of the partition; by default the classes of "
        "the target. Add it to data.drop unless it is to be a feature."};

sim::Stream partition_stream(const sim::Streams& streams, DataDraw what, std::size_t part = 0) {
  return data_stream(streams, kWholeStudy, what, Instances::kTest, part);
}

void put_in_random_order(Positions& all, sim::Stream stream) {
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[sim::uniform_index(stream, k)]);
}

Positions everything(std::size_t count) {
  Positions all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

// Where equal parts of `count` begin, and the end; the first ones are one larger.
Positions equal_parts(std::size_t count, std::size_t parts) {
  Positions at(parts + 1, 0);
  for (std::size_t i = 0; i < parts; ++i) at[i + 1] = at[i] + count / parts + (i < count % parts ? 1 : 0);
  return at;
}

// Likewise of parts by fractions.
Positions parts_by(const std::vector<double>& fractions, std::size_t count) {
  Positions at(fractions.size() + 1, 0);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < fractions.size(); ++i) {
    sum += fractions[i];
    at[i + 1] = std::min(count, static_cast<std::size_t>(std::floor(sum * static_cast<double>(count) + 0.5)));
  }
  at.back() = count;
  return at;
}

void require_records(std::size_t wanted, std::size_t records, std::string_view what) {
  if (wanted <= records) return;
  throw DataError(fmt::format("expected at least {} records for {}, found {}", wanted, what, records),
                  "owner");
}

// Divides each group of records by fractions drawn for that group; all are drawn again together.
template <class Rule>
std::vector<Positions> divide(const Rule& rule, std::vector<Positions> groups, const sim::Streams& streams) {
  std::size_t records = 0;
  for (const Positions& group : groups) records += group.size();
  require_records(rule.owners * rule.min_records, records, fmt::format("{} owners", rule.owners));
  std::vector<sim::Stream> fractions;
  for (std::size_t k = 0; k < groups.size(); ++k)
    fractions.push_back(partition_stream(streams, DataDraw::kPartition, k));
  std::vector<Positions> parts(groups.size());
  bool enough = false;
  for (std::size_t draw = 0; draw < kMaxPartitionDraws && !enough; ++draw) {
    std::vector<std::size_t> size(rule.owners, 0);
    for (std::size_t k = 0; k < groups.size(); ++k) {
      parts[k] = parts_by(draw_dirichlet(rule.owners, rule.alpha, fractions[k]), groups[k].size());
      for (std::size_t i = 0; i < rule.owners; ++i) size[i] += parts[k][i + 1] - parts[k][i];
    }
    enough = std::ranges::all_of(size, [&](std::size_t n) { return n >= rule.min_records; });
  }
  if (!enough) {
    throw DataError(
        fmt::format("expected {} or more records for each of {} owners, found fewer in all {} draws with "
                    "alpha {:g}; reduce owners or min_records, or increase alpha",
                    rule.min_records, rule.owners, kMaxPartitionDraws, rule.alpha),
        "owner");
  }
  std::vector<Positions> of(rule.owners);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    put_in_random_order(groups[k], partition_stream(streams, DataDraw::kPartitionOrder, k));
    for (std::size_t i = 0; i < rule.owners; ++i) {
      const auto at = [&](std::size_t p) { return groups[k].begin() + static_cast<std::ptrdiff_t>(p); };
      of[i].insert(of[i].end(), at(parts[k][i]), at(parts[k][i + 1]));
    }
  }
  return of;
}

std::vector<Positions> by_class(const std::vector<std::size_t>& class_of, std::size_t classes) {
  std::vector<Positions> of(classes);
  for (std::size_t k = 0; k < class_of.size(); ++k) of[class_of[k]].push_back(k);
  return of;
}

// Cuts `ordered` into equal parts; the k-th goes to owner to[k].
std::vector<Positions> deal(const Positions& ordered, const Positions& to, std::size_t owners) {
  const Positions at = equal_parts(ordered.size(), to.size());
  std::vector<Positions> of(owners);
  for (std::size_t k = 0; k < ordered.size(); ++k) {
    const auto part = static_cast<std::size_t>(std::ranges::upper_bound(at, k) - at.begin()) - 1;
    of[to[part]].push_back(ordered[k]);
  }
  return of;
}

}  // namespace

void IidOwners::describe(sim::Visitor& v) {
  v(owners, kAboutOwners);
}

void ClassShards::describe(sim::Visitor& v) {
  v(owners, kAboutOwners);
  v(shards, {.name = "shards", .help = "Number of shards of each owner.", .min = 1, .max = 1e6});
  v(by, kAboutBy);
}

void DirichletOwners::describe(sim::Visitor& v) {
  v(owners, kAboutOwners);
  v(alpha, kAboutConcentration);
  v(min_records, kAboutLeastRecords);
  v(by, kAboutBy);
}

void QuantityOwners::describe(sim::Visitor& v) {
  v(owners, kAboutOwners);
  v(alpha, kAboutConcentration);
  v(min_records, kAboutLeastRecords);
}

std::vector<double> draw_dirichlet(std::size_t count, double alpha, sim::Stream& stream) {
  // If G ~ Gamma(alpha + 1) and U is uniform, G U^(1/alpha) ~ Gamma(alpha).
  std::vector<double> q(count);
  for (double& logarithm : q) {
    const double gamma = sim::gamma(stream, alpha + 1);
    logarithm = std::log(gamma) + std::log1p(-sim::uniform(stream)) / alpha;
  }
  const double largest = *std::ranges::max_element(q);
  double sum = 0;
  for (double& value : q) sum += value = std::exp(value - largest);
  for (double& value : q) value /= sum;
  return q;
}

std::vector<Positions> draw_partition(const Partition& rule, const std::vector<std::size_t>& class_of,
                                      std::size_t classes, const sim::Streams& streams) {
  const std::size_t records = class_of.size(), owners = owners_of(rule);
  std::vector<Positions> of;
  if (std::holds_alternative<IidOwners>(rule)) {
    require_records(owners, records, fmt::format("{} owners", owners));
    Positions order = everything(records);
    put_in_random_order(order, partition_stream(streams, DataDraw::kPartitionOrder));
    of = deal(order, everything(owners), owners);
  } else if (const auto* shards = std::get_if<ClassShards>(&rule)) {
    require_records(owners * shards->shards, records, fmt::format("{} shards", owners * shards->shards));
    Positions order;
    for (const Positions& one : by_class(class_of, classes))
      order.insert(order.end(), one.begin(), one.end());
    Positions to = everything(owners * shards->shards);
    for (std::size_t& owner : to) owner /= shards->shards;
    put_in_random_order(to, partition_stream(streams, DataDraw::kPartition));
    of = deal(order, to, owners);
  } else if (const auto* skewed = std::get_if<DirichletOwners>(&rule)) {
    of = divide(*skewed, by_class(class_of, classes), streams);
  } else {
    of = divide(std::get<QuantityOwners>(rule), {everything(records)}, streams);
  }
  for (Positions& one : of) std::ranges::sort(one);
  return of;
}

}  // namespace hearsay::models
