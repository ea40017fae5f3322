#include "analysis/tables/note_lines.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

namespace hearsay::analysis {

namespace {

// The text with '#' in place of each number; digits within a word, such as c1, are not one.
std::string without_numbers(const std::string& text) {
  static const std::regex number(R"(\b[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)");
  return std::regex_replace(text, number, "#");
}

void add_once(std::vector<std::string>& all, const std::string& value) {
  if (std::ranges::find(all, value) == all.end()) all.push_back(value);
}

}  // namespace

void NoteLines::begin_point(const std::vector<std::string>& labels) {
  ++points_;
  labels_ = study_.shown_labels(labels);
  labels_.resize(study_.axes.size());
  for (std::size_t a = 0; a < values_.size(); ++a) add_once(values_[a], labels_[a]);
}

void NoteLines::add(const std::string& text, std::size_t runs, std::size_t all) {
  const auto [at, fresh] = lines_.try_emplace(without_numbers(text));
  Line& line = at->second;
  if (fresh) {
    line.first = text;
    line.values.resize(values_.size());
  }
  line.differ = line.differ || text != line.first;
  line.runs += runs;
  line.all += all;
  ++line.points;
  for (std::size_t a = 0; a < values_.size(); ++a) add_once(line.values[a], labels_[a]);
}

std::string NoteLines::where(const Line& line) const {
  constexpr std::size_t kMaxValues = 6;
  std::string text = line.runs > 0 ? fmt::format("{} of {} runs", line.runs, line.all) : "";
  if (line.points < points_) {
    std::vector<std::string> axes;
    for (std::size_t a = 0; a < values_.size(); ++a) {
      std::vector<std::string> values = line.values[a];
      if (values.size() == values_[a].size()) continue;
      const std::size_t more = values.size() - std::min(values.size(), kMaxValues);
      values.resize(values.size() - more);
      if (more > 0) values.push_back(fmt::format("and {} more", more));
      axes.push_back(fmt::format("{}={}", study_.axes[a], fmt::join(values, ", ")));
    }
    text += fmt::format("{}{} of {} points{}{}", text.empty() ? "" : " at ", line.points, points_,
                        axes.empty() ? "" : ": ", fmt::join(axes, "; "));
  }
  if (line.differ) text += fmt::format("{}numbers of the first", text.empty() ? "" : "; ");
  return text.empty() ? "" : " (" + text + ")";
}

std::set<std::string> NoteLines::lines() const {
  std::set<std::string> all;
  for (const auto& [key, line] : lines_) all.insert(line.first + where(line));
  return all;
}

}  // namespace hearsay::analysis
