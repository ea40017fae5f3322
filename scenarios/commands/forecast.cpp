// hearsay forecast: the cost of privacy of coalitions before they learn, from that of others.
#include "analysis/conclusions/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <sstream>

#include "analysis/tables/summary.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/sweep/condition.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN(),
                 kNoNoise = std::numeric_limits<double>::infinity();  // as epsilon
constexpr const char* kNames = "N, n, s or numeric axes of the sweep";

// Owners who learn together, as the theory sees them.
struct Coalition {
  std::vector<std::string> labels{};  // of its point; empty for one of the command line
  double owners = 0, records = 0;     // N (parties), n
  double inverse_squares = 0;         // s = sum of 1/epsilon_i^2; NaN where an owner has no budget
  std::vector<double> runs{};         // the metric at the end of its runs; empty: it has not run
  std::size_t lost = 0;               // runs that diverged or failed

  void add(double n, double epsilon) {
    ++owners;
    records += n;
    inverse_squares += 1 / (epsilon * epsilon);
  }
};

Coalition coalition_of(const std::vector<analysis::OwnerFacts>& owners,
                       const std::vector<std::string>& labels) {
  Coalition all{.labels = labels};
  std::set<std::uint32_t> groups;
  for (const analysis::OwnerFacts& owner : owners) {
    all.add(static_cast<double>(owner.records), owner.learner ? kNoNoise : owner.epsilon);
    if (owner.group > 0 && !groups.insert(owner.group).second) --all.owners;  // a party is counted once
  }
  return all;
}

// "20000:10,5000:1": records and budget of each owner. Throws UsageError.
Coalition parse_coalition(const std::string& text) {
  Coalition all;
  std::stringstream in(text + ",");
  for (std::string owner; std::getline(in, owner, ',');) {
    double records = 0, epsilon = 0;
    int used = 0;
    const int found = std::sscanf(owner.c_str(), "%lf:%lf%n", &records, &epsilon, &used);
    const bool whole = found == 2 && static_cast<std::size_t>(used) == owner.size();
    if (!whole || !(records > 0 && std::isfinite(records)) || !(epsilon > 0))
      throw UsageError(fmt::format(
          "--coalition: expected records and budget of each owner, such as 20000:10,5000:1, found '{}'",
          printable(text)));
    all.add(records, epsilon);
  }
  return all;
}

// The study, the expressions of the command line, and what they say about coalitions.
class Forecaster {
 public:
  explicit Forecaster(const Parsed& values)
      : values_(values),
        csv_(values.choice("format", TableFormat::kText) == TableFormat::kCsv),
        confidence_(values.number("confidence", 1e-9, 1 - 1e-9)),
        study_(open_results(values.operands.front())),
        head_(study_.head()) {
    const Names metrics = names_of(head_.metrics);
    metric_ = Parsed::index_of("metric", values.text("metric"), metrics);
    const Finals finals = finals_of(study_);
    for (std::size_t p = 0; p < finals.labels.size(); ++p) {
      points_.push_back(coalition_of(study_.owners(p), finals.labels[p]));
      points_.back().runs = finals.values[p][metric_];
      for (const auto status : {analysis::Status::kDiverged, analysis::Status::kFailed})
        points_.back().lost += finals.outcomes[p].at(static_cast<std::size_t>(status));
    }
    names_ = {"N", "n", "s"};
    names_.insert(names_.end(), head_.axes.begin(), head_.axes.end());
    numeric_.assign(names_.size(), true);
    for (const Coalition& point : points_) {
      for (std::size_t a = 0; a < head_.axes.size(); ++a)
        numeric_[3 + a] = numeric_[3 + a] && label_number(point.labels[a]);
    }
    texts_ = values.all("term");
    if (texts_.empty()) texts_ = {"1", "sqrt(s)/n", "s/n^2"};
    if (texts_.size() > 8)
      throw UsageError(fmt::format("--term: expected at most 8 terms, found {}", texts_.size()));
    for (const std::string& text : texts_)
      terms_.push_back(parse<Expression>("term", text, Expression::Words{"term", "s/n^2", kNames, "+"}));
  }

  int run() {
    choose();
    const std::size_t enough = terms_.size() + 1;
    if (fitted_.size() < enough)
      throw UsageError(fmt::format("expected at least {} points to fit {} constant{}, found {}; {}", enough,
                                   terms_.size(), terms_.size() == 1 ? "" : "s", fitted_.size(),
                                   values_.has("fit") ? "change --fit, or name fewer terms with --term"
                                                      : "name fewer terms with --term"));
    std::vector<std::vector<double>> runs;
    std::size_t lost = 0;
    for (const Coalition& point : fitted_) {
      runs.push_back(point.runs);
      lost += point.lost;
      const double mean = analysis::mean_with_interval(point.runs, 0.5).value;
      if (!(mean > 0))
        throw UsageError(fmt::format("expected a positive mean of {} to fit to, found {:.6g} at {}",
                                     head_.metrics[metric_].name, mean, name(point)));
    }
    const Eigen::MatrixXd terms = table(fitted_), wanted = table(wanted_);
    if (!analysis::identifiable(terms))
      throw UsageError(
          "the terms are 0 or linearly dependent at the points to fit to, so that their constants are not "
          "determined; fit to more points, or name fewer terms with --term");
    const analysis::Forecast all = analysis::forecast(terms, runs, wanted, confidence_, head_.antithetic);
    csv_ ? print_csv(rows(all)) : print(all);
    print_error(
        "The constants are fitted to measurements on private data that no privacy budget accounts for.\n");
    if (lost > 0)
      print_error("{} of the fitted points diverged or failed: the forecast is of the others\n",
                  counted(lost, "run"));
    return without_missing(study_, kExitDone);
  }

 private:
  template <class T, class... Words>
  T parse(const char* option, const std::string& text, Words... words) {
    try {
      return T(text, names_, numeric_, words...);
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("--{}: {}", option, error.what()));
    }
  }

  std::string name(const Coalition& c) const {
    if (!c.labels.empty()) return name_of(head_, c.labels);
    return fmt::format("N={:g}, n={:g}, s={:g}", c.owners, c.records, c.inverse_squares);
  }

  // The values of names_.
  std::vector<double> numbers(const Coalition& c) const {
    std::vector<double> all{c.owners, c.records, c.inverse_squares};
    for (std::size_t a = 0; a < head_.axes.size(); ++a)
      all.push_back(c.labels.empty() ? kUnknown : label_number(c.labels[a]).value_or(kUnknown));
    return all;
  }

  // Divides the points into those to fit to and those to forecast, and adds points that have not run.
  void choose() {
    if (values_.has("fit")) {
      auto fit = parse<Condition>("fit", values_.text("fit"), std::vector<std::string>(), kNames);
      for (const Coalition& point : points_) (fit.holds(numbers(point)) ? fitted_ : wanted_).push_back(point);
    } else {
      fitted_ = points_;
    }
    if (values_.has("predict")) add_planned();
    for (const std::string& text : values_.all("coalition")) wanted_.push_back(parse_coalition(text));
    if (!wanted_.empty()) return;
    throw UsageError(values_.has("fit") ? fmt::format("--fit selects all {} points; none is left to forecast",
                                                      points_.size())
                                        : "no points to forecast; select the points to fit to with --fit, or "
                                          "name others with --predict or "
                                          "--coalition");
  }

  void add_planned() {
    const InputArguments input = input_arguments(values_);
    const std::string file = values_.text("predict");
    const Plan plan = make_plan(file, input.sets, input.folders);
    if (plan.axes != head_.axes)
      throw UsageError(
          fmt::format("--predict: {} sweeps other options than {}{}", file, values_.operands.front(),
                      not_shared("axis", "axes", file, plan.axes, values_.operands.front(), head_.axes)));
    for (std::size_t p = 0; p < plan.points.size(); ++p) {
      const PlannedPoint& planned = plan.points[p];
      const std::vector<std::string> wanted = comparable_labels(planned.labels);
      const auto known = std::find_if(points_.begin(), points_.end(), [&](const Coalition& c) {
        return comparable_labels(c.labels) == wanted;
      });
      if (known != points_.end()) {
        if (study_.key(static_cast<std::size_t>(known - points_.begin())) != planned.key)
          throw UsageError(fmt::format("--predict: {} has other options than {} at {}", file,
                                       values_.operands.front(), name(*known)));
        continue;
      }
      try {
        const Experiment experiment(*planned.scenario, solve(*planned.scenario, 0));
        wanted_.push_back(coalition_of(experiment.participants().owners, planned.labels));
      } catch (const sim::Error& error) {
        throw plan.located(error);
      }
    }
  }

  // The terms at points; a point to forecast at which one is not defined is left out.
  Eigen::MatrixXd table(std::vector<Coalition>& points) {
    std::vector<std::vector<double>> all;
    std::erase_if(points, [&](const Coalition& point) {
      std::vector<double> row;
      for (std::size_t j = 0; j < terms_.size(); ++j) {
        row.push_back(terms_[j].value(numbers(point)));
        if (row.back() >= 0 && std::isfinite(row.back())) continue;
        const std::string message =
            fmt::format("expected a finite number of at least 0, found {} = {:g} at {}", texts_[j],
                        row.back(), name(point));
        if (&points == &fitted_) throw UsageError("--term: " + message);
        print_error("not forecast: {}\n", message);
        return true;
      }
      all.push_back(std::move(row));
      return false;
    });
    Eigen::MatrixXd out(static_cast<Eigen::Index>(all.size()), static_cast<Eigen::Index>(terms_.size()));
    for (std::size_t k = 0; k < all.size(); ++k)
      out.row(static_cast<Eigen::Index>(k)) = Eigen::Map<const Eigen::RowVectorXd>(all[k].data(), out.cols());
    return out;
  }

  using Rows = std::vector<std::vector<std::string>>;

  Rows rows(const analysis::Forecast& all) const {
    std::vector<std::vector<std::string>> labels;
    for (const Coalition& c : wanted_)
      labels.push_back(c.labels.empty() ? std::vector<std::string>(head_.axes.size()) : c.labels);
    const std::vector<bool> shown =
        csv_ ? std::vector<bool>(head_.axes.size(), true)
             : analysis::distinguishing_axes(labels, head_.groups, head_.axes.size());
    Rows out{analysis::selected(head_.axes, shown)};
    const bool measured =
        csv_ || std::ranges::any_of(wanted_, [](const Coalition& c) { return !c.runs.empty(); });
    std::vector<std::string> titles{"N", "n", "s", "forecast"};
    const auto title = [&](std::initializer_list<const char*> more) {
      titles.insert(titles.end(), more.begin(), more.end());
    };
    if (csv_) title({"low", "high", "mean", "q25", "q75"});
    if (!csv_) title({"interval"});
    if (!csv_ && measured) title({"mean", "quartiles", "mean/forecast"});
    out[0].insert(out[0].end(), titles.begin(), titles.end());
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const Coalition& c = wanted_[k];
      const analysis::Estimate& e = all.means[k];
      const double mean = analysis::mean_with_interval(c.runs, 0.5).value;
      const analysis::Quartiles quartiles = analysis::quartiles(c.runs);
      auto& row = out.emplace_back(
          analysis::selected(csv_ || c.labels.empty() ? labels[k] : head_.shown_labels(labels[k]), shown));
      const auto add = [&](std::initializer_list<double> numbers) {
        for (const double x : numbers) row.push_back(csv_ ? fmt::format("{}", x) : analysis::rounded(x));
      };
      add({c.owners, c.records, c.inverse_squares, e.value});
      if (csv_) {
        add({e.low, e.high, mean, quartiles.low, quartiles.high});
      } else {
        row.push_back(analysis::interval_text(e.low, e.high));
        if (!measured) continue;
        add({mean});
        row.push_back(analysis::interval_text(quartiles.low, quartiles.high));
        add({mean / e.value});
      }
    }
    return out;
  }

  void print(const analysis::Forecast& all) const {
    const std::string& metric = head_.metrics[metric_].name;
    print_out("mean of {} = sum of constant * term, fitted to {} points, all within a factor of {}\n\n",
              metric, fitted_.size(), analysis::rounded(all.fit_factor));
    Rows constants{{"term", "constant", "interval"}};
    for (std::size_t j = 0; j < texts_.size(); ++j)
      constants.push_back({texts_[j], analysis::rounded(all.constants[j].value),
                           analysis::interval_text(all.constants[j].low, all.constants[j].high)});
    const Rows table = rows(all);
    const auto axes = std::ranges::find(table[0], "N") - table[0].begin();
    print_out(
        "{}\nforecast of the mean, with its {:g} % prediction interval\n{}", analysis::align(constants),
        100 * confidence_,
        analysis::align(table, terminal_width(), std::max<std::size_t>(1, static_cast<std::size_t>(axes))));
    print_out("\none run: quartiles {} and {} of the mean, as at the fitted points\n",
              analysis::rounded(all.run_low), analysis::rounded(all.run_high));
    std::vector<std::vector<double>> runs;
    for (const Coalition& c : wanted_) runs.push_back(c.runs);
    const analysis::ForecastQuality q = analysis::quality_of(all, runs);
    if (q.points > 0)
      print_out(
          "measured: {} of {} points\n  factor between mean and forecast: median {}, worst {}\n  means in "
          "their "
          "interval: {}; forecasts between the quartiles of the runs: {}\n",
          q.points, wanted_.size(), analysis::rounded(q.median_factor), analysis::rounded(q.worst_factor),
          q.inside, q.between_quartiles);
  }

  const Parsed& values_;
  bool csv_;
  double confidence_;
  analysis::StoredStudy study_;
  const analysis::StudyHead& head_;
  std::size_t metric_ = 0;
  std::vector<Coalition> points_{}, fitted_{}, wanted_{};
  Names names_{};
  std::vector<bool> numeric_{};
  std::vector<std::string> texts_{};  // of the terms
  std::vector<Expression> terms_{};
};

}  // namespace

int forecast_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"forecast DIR [--fit 'EXPR'] [--predict SCENARIO] [--coalition RECORDS:EPSILON,...]... [--metric "
       "NAME] [--term "
       "'EXPR']... [--confidence C] [--format text|csv]",
       with_input_options(
           {{"fit", "EXPR",
             "fit to the points of DIR that satisfy this condition on N, n, s and numeric axes, and forecast "
             "the others; default: fit to all"},
            {"predict", "FILE",
             "forecast the points of this scenario that DIR does not contain; runs nothing"},
            {"coalition", "LIST",
             "forecast owners with these numbers of records and budgets, e.g. 20000:10,5000:1 (repeatable)",
             nullptr, true},
            {"metric", "NAME", "metric to forecast, at the end of runs", "relative_fitness", false,
             metric_names},
            {"term", "EXPR",
             "term of the form, in N owners, n records in all, s = sum of 1/epsilon_i^2, and numeric axes "
             "(repeatable; default: 1, sqrt(s)/n and s/n^2)",
             nullptr, true},
            {"confidence", "C", "confidence level of the intervals", "0.95"},
            {"format", "FORMAT", "text, or csv: one row per forecast", "text", false,
             choice_names<TableFormat>}}),
       "one folder", 1, 1});
  if (!values) return kExitDone;
  if (values->has("set") && !values->has("predict"))
    throw UsageError("--set: changes the scenario of --predict; the folder keeps its options");
  return Forecaster(*values).run();
}

}  // namespace hearsay::scenarios
