#include "analysis/tables/note_lines.hpp"

#include <catch2/catch.hpp>

using namespace hearsay::analysis;
using Lines = std::set<std::string>;

namespace {

// Two axes, a = 1, 2 and b = x, y, z: six points.
StudyHead two_axes() {
  StudyHead head;
  head.axes = {"a", "b"};
  return head;
}

template <class Note>
Lines lines_of(Note&& note) {
  const StudyHead head = two_axes();
  NoteLines lines(head);
  for (const std::string a : {"1", "2"}) {
    for (const std::string b : {"x", "y", "z"}) {
      lines.begin_point({a, b});
      note(lines, a, b);
    }
  }
  return lines.lines();
}

}  // namespace

TEST_CASE("notes: one of all points is one line, without more") {
  CHECK(lines_of([](NoteLines& lines, auto&, auto&) { lines.add("left out 3 records"); }) ==
        Lines{"left out 3 records"});
}

TEST_CASE(
    "notes: those that differ in numbers are one line with the values of the axes that tell its points") {
  CHECK(lines_of([](NoteLines& lines, const std::string& a, const std::string& b) {
          if (b != "x") lines.add("rho is " + a + ".5e-3");
        }) == Lines{"rho is 1.5e-3 (4 of 6 points: b=y, z; numbers of the first)"});
  // A digit within a word tells texts apart.
  CHECK(lines_of([](NoteLines& lines, const std::string& a, const std::string&) {
          lines.add("set c" + a);
        }) == Lines{"set c1 (3 of 6 points: a=1)", "set c2 (3 of 6 points: a=2)"});
  CHECK(lines_of([](NoteLines& lines, const std::string& a, const std::string& b) {
          lines.add("rho is " + a + b.substr(1));
        }) == Lines{"rho is 1 (numbers of the first)"});
}

TEST_CASE("notes: runs are added up over the points") {
  CHECK(lines_of([](NoteLines& lines, const std::string& a, const std::string& b) {
          if (a == "2" && b != "z") lines.add("late", 3, 10);
        }) == Lines{"late (6 of 20 runs at 2 of 6 points: a=2; b=x, y)"});
  CHECK(lines_of([](NoteLines& lines, auto&, auto&) { lines.add("late", 1, 1); }) ==
        Lines{"late (6 of 6 runs)"});
}
