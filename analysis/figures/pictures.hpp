#pragma once
// Figures as files, by Vega on node and, except for SVG, rsvg-convert.
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/json.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::analysis {

enum class PictureFormat { kSvg, kPng, kPdf };
constexpr auto choices_of(PictureFormat) {
  return std::to_array<sim::Choice>({{"svg", "Scalable Vector Graphics"},
                                     {"png", "pixels, two per unit; of panels 300 per inch"},
                                     {"pdf", "Portable Document Format"}});
}

enum class ShownStatistic { kMedian, kMean };
constexpr auto choices_of(ShownStatistic) {
  return std::to_array<sim::Choice>(
      {{"median", "medians with quartiles"}, {"mean", "means with 95 % intervals"}});
}

enum class ShownScale { kAutomatic, kLinear, kLogarithmic };
constexpr auto choices_of(ShownScale) {
  return std::to_array<sim::Choice>(
      {{"automatic", "logarithmic over two decades or more"}, {"linear"}, {"logarithmic"}});
}

/// In print.
enum class FigureWidth { kColumn, kPage };
constexpr auto choices_of(FigureWidth) {
  return std::to_array<sim::Choice>({{"column", "3.4 in"}, {"page", "7 in"}});
}

struct PictureOptions {
  PictureFormat format = PictureFormat::kSvg;
  std::optional<std::size_t> along;  ///< axis of curves, number in kAlongNames; by default as in the page
  ShownStatistic show = ShownStatistic::kMedian;
  ShownScale scale = ShownScale::kAutomatic;  ///< of the metric
  bool titles = true;                         ///< title and caption above the figure
  FigureWidth width = FigureWidth::kPage;     ///< of a figure of panels
};

/// An animation of the traced run.
struct AnimationOptions {
  double length = 10;        ///< s
  std::size_t frames = 12;   ///< per second
  std::size_t pixels = 720;  ///< its width
  std::string metric{};      ///< that agents are coloured by; empty: as in the player
};

/// Writes animation.gif into a folder, which is created, and returns its path. `data`: of a study with a trace. Throws as write_pictures().
std::filesystem::path write_animation(Json data, const AnimationOptions& options,
                                      const std::filesystem::path& folder);

/// Writes a file for each figure of `data` (figure_data()) into a folder, which is created; returns their paths, none if
/// there is nothing to draw. The same data give the same bytes. Throws OutputError, which names the Debian package of a program that is missing; no file
/// is then written or changed.
std::vector<std::filesystem::path> write_pictures(Json data, const PictureOptions& options,
                                                  const std::filesystem::path& folder);

}  // namespace hearsay::analysis
