#pragma once
// The notes of a study in few lines: those of several points that differ in their numbers only are one line, which
// says at which points it holds.
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/store/study.hpp"

namespace hearsay::analysis {

class NoteLines {
 public:
  explicit NoteLines(const StudyHead& study) : study_(study), values_(study.axes.size()) {}

  /// Every point of the study, in order.
  void begin_point(const std::vector<std::string>& labels);
  /// A note of the point; `runs`: how many of its `all` runs it is about, 0 if it is about the point.
  void add(const std::string& text, std::size_t runs = 0, std::size_t all = 0);

  /// "note", "note (12 of 20 runs at 2 of 4 points: privacy.epsilon=0.1; numbers of the first)": the values are those
  /// of the axes that distinguish the points of the note.
  std::set<std::string> lines() const;

 private:
  struct Line {
    std::string first;    // the text at the first point
    bool differ = false;  // whether others have other numbers
    std::size_t runs = 0, all = 0, points = 0;
    std::vector<std::vector<std::string>> values;  // by axis: of the points, each once, in order
  };
  std::string where(const Line& line) const;

  const StudyHead& study_;
  std::size_t points_ = 0;
  std::vector<std::string> labels_;               // of the present point, as they are shown
  std::vector<std::vector<std::string>> values_;  // by axis: of all points, each once
  std::map<std::string, Line> lines_;             // by the text without its numbers
};

}  // namespace hearsay::analysis
