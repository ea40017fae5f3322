#include "scenarios/study/repeat.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/tables/summary.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/files/text.hpp"

namespace hearsay::scenarios {

void AbsoluteWidth::describe(sim::Visitor& v) {
  v(width, {.name = "width",
            .help = "Half the width of the interval.",
            .min = 0,
            .open_min = true,
            .required = true});
}

std::optional<double> RelativeWidth::value() const {
  std::string_view text = share;
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const std::optional<double> percent = sim::parse_number(text, '.');
  return percent && *percent > 0 ? std::optional(*percent / 100) : std::nullopt;
}

void RelativeWidth::describe(sim::Visitor& v) {
  v(share, {.name = "share", .help = "A percentage, above 0.", .required = true});
  v.check(value().has_value(), "share",
          "expected a number or a percentage above 0, such as \"5 %\", found \"{}\"", sim::printable(share));
}

void Criterion::describe(sim::Visitor& v) {
  v(metric,
    {.name = "metric", .help = "Metric at the end of runs; one of record.metrics.", .required = true});
  v(half_width,
    {.name = "half_width",
     .help = "Half the width that the interval may have: a number, or a percentage of the estimate.",
     .required = true});
  v(of, {.name = "of", .help = "What is estimated of the distribution over repetitions."});
  v(quantile, {.name = "quantile",
               .help = "The quantile, for of \"quantile\"; by default 0.5.",
               .min = 0,
               .max = 1,
               .open_min = true,
               .open_max = true});
  v(confidence,
    {.name = "confidence",
     .help = "Probability with which the intervals of all looks at a point contain the true value.",
     .min = 0.5,
     .max = 1,
     .open_max = true});
  v(against,
    {.name = "against",
     .help =
         "Values of axes, each PATH=VALUE: differences from the point with these values and otherwise the "
         "same ones, paired by repetition."});
  v.check(!quantile || of == Estimated::kQuantile, "quantile", "requires of \"quantile\", found \"{}\"",
          sim::name_of(of));
}

std::string Criterion::text() const {
  std::string text = of == Estimated::kQuantile ? fmt::format("{:g}-quantile of {}", level(), (*metric).name)
                                                : fmt::format("{} of {}", sim::name_of(of), (*metric).name);
  if (!against.empty()) text += fmt::format(", less that of {}", fmt::join(against, ", "));
  return text;
}

namespace {

void describe_antithetic(bool& antithetic, sim::Visitor& v) {
  v(antithetic,
    {.name = "antithetic",
     .help =
         "Antithetic pairs: repetition 2k + 1 draws 1 - u where the network of repetition 2k draws u, and "
         "the negative of its noise. Intervals are of the means of pairs."});
}

void check_even(bool antithetic, std::uint32_t number, const char* key, sim::Visitor& v) {
  v.check(!antithetic || number % 2 == 0, key,
          "expected an even number of repetitions, in antithetic pairs, found {}", number);
}

}  // namespace

void GivenRepetitions::describe(sim::Visitor& v) {
  v(count, {.name = "count", .help = "Number of repetitions of every point.", .min = 1, .required = true});
  describe_antithetic(antithetic, v);
  check_even(antithetic, count, "count", v);
}

void UntilPrecise::describe(sim::Visitor& v) {
  v(until, {.name = "until", .help = "Criteria: a point is repeated until all hold.", .required = true});
  v(min, {.name = "min", .help = "Repetitions at the first look.", .min = 2});
  v(max, {.name = "max", .help = "Repetitions at the last look.", .min = 2});
  describe_antithetic(antithetic, v);
  v.check(!until.empty(), "until", "expected at least one criterion");
  v.check(max >= min, "max", "expected at least min ({}), found {}", min, max);
  check_even(antithetic, min, "min", v);
  check_even(antithetic, max, "max", v);
  for (std::size_t k = 0; k < until.size(); ++k) {
    v.check(!antithetic || until[k].of == Estimated::kMean, fmt::format("until/{}/of", k),
            "expected mean, because order statistics of antithetic pairs have no confidence, found {}",
            sim::name_of(until[k].of));
  }
}

std::uint32_t UntilPrecise::after(std::uint32_t r) const {
  const double step = antithetic ? 2 : 1;
  const double next = std::max(step * std::floor(1.5 * r / step), r + step);
  return next < max ? static_cast<std::uint32_t>(next) : max;
}

std::uint32_t Repeat::first() const {
  const UntilPrecise* const precise = until();
  return precise != nullptr ? precise->min : std::get<GivenRepetitions>(kind_).count;
}

std::uint32_t Repeat::most() const {
  const UntilPrecise* const precise = until();
  return precise != nullptr ? precise->max : first();
}

void Repeat::describe_as(sim::Visitor& v, const sim::About& about) {
  v.variant(kind_, about);
}

Precision precision_at(const Criterion& c, std::uint32_t look, std::vector<double> values,
                       std::vector<double> reference, bool antithetic) {
  const double pi_k = std::numbers::pi * look;
  const double confidence = 1 - (1 - c.confidence) * 6 / (pi_k * pi_k);
  const auto estimate = [&](const std::vector<double>& of) {
    return c.of == Estimated::kMean ? analysis::mean_with_interval(of, confidence)
                                    : analysis::quantile_with_interval(of, c.level(), confidence);
  };
  Precision p{.look = look, .repetitions = static_cast<std::uint32_t>(values.size())};
  values = analysis::independent_values(values, antithetic);
  reference = analysis::independent_values(reference, antithetic);
  for (std::size_t r = 0; r < reference.size(); ++r) values[r] -= reference[r];
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) {
    p.state = Precision::State::kNotFinite;
    p.estimate = p.half_width = std::numeric_limits<double>::quiet_NaN();
    return p;
  }
  const analysis::Estimate e = estimate(values);
  p.estimate = e.value;
  p.half_width = std::isnan(e.low) ? std::numeric_limits<double>::infinity() : (e.high - e.low) / 2;
  double wanted = 0;
  if (const auto* relative = std::get_if<RelativeWidth>(&c.half_width)) {
    const double whole = reference.empty() ? e.value : estimate(reference).value;
    wanted = *relative->value() * std::abs(whole);
  } else {
    wanted = std::get<AbsoluteWidth>(c.half_width).width;
  }
  if (p.half_width <= wanted) p.state = Precision::State::kMet;
  return p;
}

}  // namespace hearsay::scenarios
