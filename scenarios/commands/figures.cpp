// hearsay figures: the figures of a study as files.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/figures/figure_data.hpp"
#include "analysis/figures/pictures.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/figure_study.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// --at NAME=VALUE: the values of swept options at which points are drawn, by number of the axis.
using Wanted = std::map<std::size_t, std::vector<std::string>>;

bool equal(const std::string& label, const std::string& value) {
  if (label == value) return true;
  const auto a = label_number(label), b = label_number(value);
  return a && b && *a == *b;
}

Wanted wanted_values(const Parsed& values, const std::vector<std::string>& axes) {
  Wanted wanted;
  for (const std::string& written : values.all("at")) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("--at: expected a swept option and its value, NAME=VALUE, found '{}'",
                                   printable(written)));
    const std::string name = written.substr(0, equals);
    if (axes.empty()) throw UsageError("--at: nothing is swept in this study");
    wanted[Parsed::index_of("at", name, axes)].push_back(written.substr(equals + 1));
  }
  return wanted;
}

// The chosen names of an option, all of them known.
Names chosen(const Parsed& values, const char* option, const Names& known) {
  Names all = values.all(option);
  for (const std::string& name : all) Parsed::index_of(option, name, known);
  return all;
}

}  // namespace

int figures_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"figures DIR [--format svg|png|pdf] [-o DIR] [options]",
       with_window_options(
           {{"format", "FORMAT", "svg, png or pdf; the last two need the program rsvg-convert", "svg"},
            {"output,o", "DIR", "folder of the files (default: DIR/figures)"},
            {"metric", "NAME", "draw figures of this metric only (repeatable)", nullptr, true},
            {"figure", "KIND", "draw this kind of figure only, e.g. curves, finals or timeline (repeatable)",
             nullptr, true},
            {"over", "AXIS", "horizontal axis of curves: iteration, time, vectors, bytes or messages"},
            {"at", "NAME=VALUE", "draw only points at which this swept option has this value (repeatable)",
             nullptr, true},
            {"show", "STATISTIC", "median (with quartiles) or mean (with its 95 % interval)", "median"},
            {"scale", "SCALE", "of the metric: automatic, linear or logarithmic", "automatic"},
            {"no-title", nullptr,
             "leave title and caption out of the pictures; SVG files have them as metadata"}}),
       "one folder", 1, 1});
  if (!values) return kExitDone;
  const std::filesystem::path folder = values->operands.front();
  analysis::PictureOptions options{.format = values->choice("format", analysis::PictureFormat::kSvg),
                                   .along = {},
                                   .show = values->choice("show", analysis::ShownStatistic::kMedian),
                                   .scale = values->choice("scale", analysis::ShownScale::kAutomatic),
                                   .titles = !values->has("no-title")};
  if (values->has("over")) {
    Names axes;
    for (const std::string_view name : analysis::kAlongNames)
      axes.emplace_back(name.substr(0, name.find(' ')));
    options.along = Parsed::index_of("over", values->text("over"), axes);
  }
  const std::filesystem::path place = values->folder("output", folder / "figures");
  analysis::StoredStudy study = open_results(folder);
  Names metrics, kinds;
  for (const analysis::MetricInfo& m : study.head().metrics) metrics.push_back(m.name);
  for (const std::string_view kind : analysis::kFigureNames) kinds.emplace_back(kind);
  const analysis::FigureChoice choice{chosen(*values, "metric", metrics), chosen(*values, "figure", kinds)};
  const Wanted wanted = wanted_values(*values, study.head().axes);
  const auto is_wanted = [&](const std::vector<std::string>& labels) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
      const std::string& label = labels[one.first];
      return std::any_of(one.second.begin(), one.second.end(),
                         [&](const std::string& value) { return equal(label, value); });
    });
  };
  const FigureStudy read = read_figure_study(
      study, folder, *values, wanted.empty() ? analysis::PointFilter() : analysis::PointFilter(is_wanted));
  if (read.data.points.empty()) throw UsageError("--at: no point of the study has these values");
  const auto files =
      analysis::write_pictures(analysis::figure_data(read.data, read.trace, "", choice), options, place);
  if (files.empty())
    throw UsageError(fmt::format(
        "{}: there is nothing to draw: {}", printable(folder.string()),
        choice.kinds.empty() && choice.metrics.empty() ? "no run is done" : "the study has no such figure"));
  for (const std::filesystem::path& file : files) print_out("{}\n", file.string());
  for (const std::string& note : read.data.omitted)
    print_error("note: to limit their size, figures show only {}\n", note);
  return without_missing(study, kExitDone);
}

}  // namespace hearsay::scenarios
