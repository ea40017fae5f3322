// Points by some of their axes, and the text of pivoted tables, by hand.
#include <catch2/catch.hpp>

#include "analysis/tables/pivot.hpp"

using namespace hearsay;
using analysis::PivotFormat;
using analysis::PivotTable;

namespace {

using Numbers = std::vector<std::size_t>;

const analysis::PointLabels kPoints{
    {"x", "1", "p", "0"}, {"x", "2", "q", "0"}, {"y", "1", "p", "0"}, {"y", "2", "q", "0"}};

PivotTable table() {
  PivotTable t{.row_axes = {"data.noise_1"},
               .column_axes = {"protocol"},
               .rows = {{"50 %"}, {"a|b"}},
               .columns = {{"fed_avg"}, {"{x}"}}};
  t.cells = {{{0.5, 0.25, 0.75, true}, {-1e-5, -2e-5, 1}}, {{}, {.centre = 3}}};
  t.notes = {"Left out: 1 run."};
  return t;
}

}  // namespace

TEST_CASE("pivot: an axis that varies together with a taken one does not distinguish points") {
  // The last has one value. The second and third vary together.
  const Numbers groups{0, 1, 1, 2};
  CHECK(analysis::other_axes(kPoints, groups, 4, {}) == Numbers{0, 1});
  CHECK(analysis::other_axes(kPoints, groups, 4, {2}) == Numbers{0});
  CHECK(analysis::other_axes(kPoints, groups, 4, {0, 1}).empty());
  // Independent axes are told apart even where points are missing.
  CHECK(analysis::other_axes(kPoints, {}, 4, {0, 1}) == Numbers{2});
}

TEST_CASE("pivot: combinations of values come in the order of points, without an axis one is empty") {
  const auto by = analysis::combinations(kPoints, {2, 0});
  CHECK(by.values == analysis::PointLabels{{"p", "x"}, {"q", "x"}, {"p", "y"}, {"q", "y"}});
  CHECK(analysis::combinations(kPoints, {1}).of_point == Numbers{0, 1, 0, 1});
  CHECK(analysis::combinations(kPoints, {}).values == analysis::PointLabels{{}});
}

TEST_CASE("pivot: text is escaped for Markdown and LaTeX, and a word keeps its underscore in Markdown") {
  CHECK(table().text(PivotFormat::kMarkdown) ==
        "| data.noise_1 | fed_avg | {x} |\n|---|---:|---:|\n"
        "| 50 % | **0.5 [0.25, 0.75]** | -1e-05 [-2e-05, 1] |\n| a\\|b | - | 3 |\n\nLeft out: 1 run.\n");
  CHECK(
      table().text(PivotFormat::kLatex) ==
      "% \\usepackage{booktabs}\n\\begin{tabular}{lrr}\n\\toprule\n"
      " & \\multicolumn{2}{c}{protocol} \\\\\n\\cmidrule(lr){2-3}\ndata.noise\\_1 & fed\\_avg & \\{x\\} \\\\\n\\midrule\n"
      "50 \\% & {\\bfseries\\boldmath 0.5 [0.25, 0.75]} & $-1\\times10^{-5}$ [$-2\\times10^{-5}$, 1] \\\\\n"
      "a$|$b & - & 3 \\\\\n\\bottomrule\n\\end{tabular}\n\\par\\smallskip{\\footnotesize Left out: 1 run.\\par}\n");
  CHECK(table().text(PivotFormat::kCsv) == "data.noise_1,fed_avg,{x}\n50 %,0.5,-1e-05\na|b,,3\n");
}

TEST_CASE("pivot: intervals around a mean are half their width") {
  PivotTable t = table();
  t.symmetric = true;
  t.cells = {{{2, 1.5, 2.5}, {.centre = 1}}, {{2, 1.5, 2.5, true}, {}}};
  CHECK_THAT(t.text(PivotFormat::kMarkdown),
             Catch::Contains("| 2 \u00b1 0.5 | 1 |") && Catch::Contains("| **2 \u00b1 0.5** | - |"));
  CHECK_THAT(t.text(PivotFormat::kLatex), Catch::Contains("{\\bfseries\\boldmath 2 $\\pm$ 0.5} & -"));
}

TEST_CASE("pivot: a LaTeX row that begins with a bracket or a star is no option of the command before it") {
  PivotTable t = table();
  t.rows = {{"[0, 1) step"}, {"*"}};
  CHECK_THAT(t.text(PivotFormat::kLatex), Catch::Contains("\\midrule\n{}[0, 1) step & {\\bfseries") &&
                                              Catch::Contains(" \\\\\n{}* & - & 3 \\\\\n"));
  CHECK_THAT(t.text(PivotFormat::kMarkdown), Catch::Contains("\n| [0, 1) step | "));
}
