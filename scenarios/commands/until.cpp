#include "scenarios/commands/until.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/store/output_file.hpp"
#include "analysis/tables/axis_columns.hpp"
#include "analysis/tables/summary.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/study/sweep/labels.hpp"

namespace hearsay::scenarios {

namespace {

using State = Precision::State;

bool settled(const std::vector<Precision>& all) {
  return std::ranges::all_of(all, [](const Precision& p) { return p.state == State::kMet; });
}

}  // namespace

UntilDecision::UntilDecision(const Plan& plan, analysis::StoredStudy& study)
    : plan_(plan), head_(study.head()) {
  const UntilPrecise& rule = *plan.until();
  const Finals finals = finals_of(study);
  // NaN for a run that is not done.
  const auto values_of = [&](std::size_t point, std::size_t metric, std::uint32_t r) {
    std::vector<double> values = finals.values[point][metric];
    values.resize(r, std::numeric_limits<double>::quiet_NaN());
    return values;
  };
  const auto criteria_at = [&](std::size_t point, std::uint32_t look, std::uint32_t r) {
    std::vector<Precision> all;
    for (std::size_t c = 0; c < rule.until.size(); ++c) {
      const std::size_t metric = head_.metric((*rule.until[c].metric).name).value();
      const std::size_t reference = plan.references[c][point];
      const bool compared = !rule.until[c].against.empty();
      all.push_back(precision_at(rule.until[c], look, values_of(point, metric, r),
                                 compared ? values_of(reference, metric, r) : std::vector<double>{},
                                 rule.antithetic));
    }
    return all;
  };
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const std::uint32_t made = plan.points[p].repeat;
    std::uint32_t r = rule.min, look = 1, wanted = made;
    for (;; r = rule.after(r), ++look) {
      at_.resize(p);
      at_.push_back(criteria_at(p, look, r));
      const bool hopeless = std::ranges::any_of(
          at_.back(), [](const Precision& one) { return one.state == State::kNotFinite; });
      if (settled(at_.back()) || hopeless || r == rule.max) break;
      if (rule.after(r) > made) {
        wanted = rule.after(r);
        break;
      }
    }
    repetitions_.push_back(wanted);
  }
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    for (const auto& of : plan.references)
      repetitions_[of[p]] = std::max(repetitions_[of[p]], repetitions_[p]);
  }
}

std::string UntilDecision::summary() const {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;
  for (const std::vector<Precision>& all : at_) {
    least = std::min(least, all.front().repetitions);
    most = std::max(most, all.front().repetitions);
  }
  const auto met = std::ranges::count_if(at_, settled);
  return fmt::format("{} of {} as precise as repeat.until asks for, after {} repetitions: see precision.csv",
                     met, counted(at_.size(), "point"),
                     least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most));
}

std::vector<std::string> UntilDecision::warnings() const {
  std::vector<std::string> all;
  const std::vector<Criterion>& criteria = plan_.until()->until;
  for (std::size_t p = 0; p < at_.size(); ++p) {
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      const Precision& one = at_[p][c];
      if (one.state == State::kMet) continue;
      const std::string name = plan_.name_of(p);
      const std::string begin = fmt::format("warning: repeat.until: {}the {} ",
                                            name.empty() ? "" : name + ": ", criteria[c].text());
      if (one.state == State::kNotFinite) {
        all.push_back(fmt::format(
            "{}is not finite in all of {} repetitions, so that no number of them makes it precise", begin,
            one.repetitions));
      } else {
        all.push_back(
            fmt::format("{}is {} with half width {} after {} repetitions, {}", begin,
                        analysis::rounded(one.estimate), analysis::rounded(one.half_width), one.repetitions,
                        one.repetitions < plan_.until()->max ? "where another criterion ended the point"
                                                             : "the most that are allowed"));
      }
    }
  }
  return all;
}

void UntilDecision::write(const std::filesystem::path& folder) const {
  const std::vector<Criterion>& criteria = plan_.until()->until;
  std::vector<std::vector<std::string>> labels;
  for (const PlannedPoint& p : plan_.points) labels.push_back(p.labels);
  const analysis::AxisColumns axes(plan_.axes, labels, label_number);
  analysis::OutputFile file(folder / "precision.csv");
  file.print("point,{}criterion,confidence,look,repetitions,estimate,half_width,precise\n", axes.header());
  for (std::size_t p = 0; p < at_.size(); ++p) {
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      const Precision& one = at_[p][c];
      file.print("{},{}{},{},{},{},{},{},{}\n", p, axes.fields(labels[p]),
                 analysis::csv_field(criteria[c].text()), criteria[c].confidence, one.look, one.repetitions,
                 one.estimate, one.half_width, one.state == State::kMet ? "yes" : "no");
    }
  }
  file.commit();
}

}  // namespace hearsay::scenarios
