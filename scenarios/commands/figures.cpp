// hearsay figures: the figures of a study as files.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/figures/figure_data.hpp"
#include "analysis/figures/pictures.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/commands/figure_study.hpp"
#include "scenarios/commands/study_table.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// The chosen names of an option, all of them known.
Names chosen(const Parsed& values, const char* option, const Names& known) {
  Names all = values.all(option);
  for (const std::string& name : all) Parsed::index_of(option, name, known);
  return all;
}

Names curve_axes() {
  Names axes;
  for (const std::string_view name : analysis::kAlongNames) axes.emplace_back(name.substr(0, name.find(' ')));
  return axes;
}

// --x, --facet, --series, --width: one figure of panels in place of the others.
void choose_panels(const Parsed& values, const analysis::StudyData& data, analysis::FigureChoice& choice) {
  constexpr std::array<const char*, 4> kOptions{"x", "facet", "series", "width"};
  const Names panels{"panels"};
  const bool named = std::ranges::count(choice.kinds, panels.front()) > 0;
  if (!named && std::ranges::none_of(kOptions, [&](const char* option) { return values.has(option); }))
    return;
  if (!choice.kinds.empty() && choice.kinds != panels)
    throw UsageError("--figure: 'panels' is drawn alone, and only it has --x, --facet, --series and --width");
  values.only("for curves, not for panels", {"over"});
  choice.kinds = panels;
  const analysis::PointLabels labels = analysis::labels_of(data);
  std::vector<std::size_t> taken;
  const auto axis = [&](const char* option) -> std::optional<std::size_t> {
    const std::vector<std::size_t> axes = axes_named(values, option, data.head);
    if (axes.size() > 1) throw UsageError(fmt::format("--{}: expected one swept option", option));
    std::ranges::copy(axes, std::back_inserter(taken));
    return axes.empty() ? std::nullopt : std::optional(axes.front());
  };
  const auto facet = axis("facet"), series = axis("series");
  auto x = axis("x");
  if (!x) {
    const auto free = analysis::other_axes(labels, data.head.groups, data.axes.size(), taken);
    if (free.empty())
      throw UsageError("--x: no other swept option has more than one value; name one that is drawn against");
    const auto numeric = std::ranges::find_if(free, [&](auto a) { return !data.axes[a].numbers.empty(); });
    x = numeric == free.end() ? free.front() : *numeric;
    taken.push_back(*x);
  }
  require_decided(labels, data.head, taken, "name it in --facet, --series or --x");
  choice.panels = analysis::PanelAxes{*x, facet, series};
}

// --animation, --length, --fps, --pixels: the traced run in place of figures.
std::filesystem::path animate(const Parsed& values, const FigureStudy& read, const Names& metrics,
                              const std::filesystem::path& place) {
  constexpr double kMaxFrames = 2000;
  if (!read.trace || read.trace->agents == 0)
    throw UsageError("--animation: there is no trace; add record.trace to the scenario and run it again");
  const analysis::AnimationOptions options{
      .length = values.duration("length", 10),
      .frames = static_cast<std::size_t>(values.whole("fps", 1, 50)),
      .pixels = static_cast<std::size_t>(values.whole("pixels", 200, 4000)),
      .metric = metrics.empty() ? "" : metrics.front()};
  if (options.length * static_cast<double>(options.frames) > kMaxFrames)
    throw UsageError(fmt::format("--length: expected at most {} frames, found {} s of {} per second",
                                 kMaxFrames, options.length, options.frames));
  return analysis::write_animation(analysis::figure_data(read.data, read.trace, ""), options, place);
}

}  // namespace

int figures_command(const Arguments& arguments) {
  const auto values = parse_arguments(
      arguments,
      {"figures DIR [--format svg|png|pdf] [-o DIR] [--x NAME] [--facet NAME] [--series NAME] "
       "[--width column|page] [--animation] [options]",
       with_window_options(
           {{"format", "FORMAT", "svg, png or pdf; the last two need the program rsvg-convert", "svg", false,
             choice_names<analysis::PictureFormat>},
            {"output,o", "DIR", "folder of the files (default: DIR/figures)"},
            {"metric", "NAME", "draw figures of this metric only (repeatable)", nullptr, true},
            {"figure", "KIND", "draw this kind of figure only, e.g. curves, finals or timeline (repeatable)",
             nullptr, true},
            {"over", "AXIS", "horizontal axis of curves: iteration, time, vectors, bytes or messages",
             nullptr, false, curve_axes},
            at_option("draw only points at which this swept option has this value (repeatable)"),
            {"x", "NAME", "draw panels: final values against this swept option"},
            {"facet", "NAME", "draw panels: one for each value of this swept option"},
            {"series", "NAME", "draw panels: a series in each for each value of this swept option"},
            {"width", "WIDTH",
             "draw panels without a title, for a column (3.4 in) or a page (7 in) of a paper", nullptr, false,
             choice_names<analysis::FigureWidth>},
            {"show", "STATISTIC", "median (with quartiles) or mean (with its 95 % interval)", "median", false,
             choice_names<analysis::ShownStatistic>},
            {"scale", "SCALE", "of the metric: automatic, linear or logarithmic", "automatic", false,
             choice_names<analysis::ShownScale>},
            {"animation", nullptr, "write the traced run as animation.gif instead; needs rsvg-convert"},
            {"length", "T", "length of the animation", "10 s"},
            {"fps", "N", "frames per second of the animation", "12"},
            {"pixels", "N", "width of the animation", "720"},
            {"no-title", nullptr,
             "leave title and caption out of the pictures; SVG files have them as metadata"}}),
       "one folder", 1, 1});
  if (!values) return kExitDone;
  const bool animated = values->has("animation");
  if (animated) {
    values->only("without --animation",
                 {"format", "figure", "over", "x", "facet", "series", "width", "show", "scale", "no-title"});
    if (values->all("metric").size() > 1) throw UsageError("--metric: an animation shows one metric");
  } else {
    values->only("with --animation", {"length", "fps", "pixels"});
  }
  const std::filesystem::path folder = values->operands.front();
  analysis::PictureOptions options{.format = values->choice("format", analysis::PictureFormat::kSvg),
                                   .along = {},
                                   .show = values->choice("show", analysis::ShownStatistic::kMedian),
                                   .scale = values->choice("scale", analysis::ShownScale::kAutomatic),
                                   .titles = !values->has("no-title") && !values->has("width"),
                                   .width = values->choice("width", analysis::FigureWidth::kPage)};
  if (values->has("over")) options.along = values->index("over");
  const std::filesystem::path place = values->folder("output", folder / "figures");
  analysis::StoredStudy study = open_results(folder);
  Names metrics, kinds;
  for (const analysis::MetricInfo& m : study.head().metrics) metrics.push_back(m.name);
  for (const std::string_view kind : analysis::kFigureNames) kinds.emplace_back(kind);
  analysis::FigureChoice choice{chosen(*values, "metric", metrics), chosen(*values, "figure", kinds)};
  const FigureStudy read = read_figure_study(study, folder, *values, points_at(*values, study.head()));
  if (read.data.points.empty()) throw_no_points();
  if (animated) {
    print_out("{}\n", animate(*values, read, choice.metrics, place).string());
    return without_missing(study, kExitDone);
  }
  choose_panels(*values, read.data, choice);
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
