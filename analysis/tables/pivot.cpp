#include "analysis/tables/pivot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string_view>

#include "analysis/store/output_file.hpp"
#include "analysis/tables/summary.hpp"
#include "sim/files/text.hpp"

namespace hearsay::analysis {

namespace {

std::string escaped(const std::string& text, PivotFormat format) {
  constexpr std::size_t kLongest = 2000;
  if (format == PivotFormat::kCsv) return text;
  const std::string shown = sim::printable(text, kLongest);
  std::string out;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const char c = shown[k];
    const auto is_word = [&](std::size_t i) {
      return i < shown.size() && std::isalnum(static_cast<unsigned char>(shown[i])) != 0;
    };
    if (format == PivotFormat::kMarkdown) {
      // An underscore within a word is no emphasis.
      const bool plain = c == '_' && k > 0 && is_word(k - 1) && is_word(k + 1);
      if (!plain && std::string_view("\\`*_<|~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    } else if (c == '\\' || c == '~' || c == '^') {
      out += c == '\\' ? "\\textbackslash{}" : c == '~' ? "\\textasciitilde{}" : "\\textasciicircum{}";
    } else if (c == '<' || c == '>' || c == '|') {  // other letters in LaTeX's first encoding
      out += fmt::format("${}$", c);
    } else {
      if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

// 4 significant digits, in LaTeX with a minus sign and a power of ten.
std::string number_text(double x, PivotFormat format) {
  const std::string text = rounded(x);
  if (format != PivotFormat::kLatex || !std::isfinite(x)) return text;
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return x < 0 ? "$" + text + "$" : text;
  return fmt::format("${}\\times10^{{{}}}$", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string cell_text(const PivotCell& cell, bool symmetric, PivotFormat format) {
  const auto number = [&](double x) { return number_text(x, format); };
  std::string text = number(cell.centre);
  if (!std::isnan(cell.low) && symmetric)
    text += (format == PivotFormat::kLatex ? " $\\pm$ " : " \u00b1 ") + number(cell.high - cell.centre);
  if (!std::isnan(cell.low) && !symmetric)
    text += fmt::format(" [{}, {}]", number(cell.low), number(cell.high));
  if (!cell.best) return text;
  return format == PivotFormat::kLatex ? "{\\bfseries\\boldmath " + text + "}" : "**" + text + "**";
}

}  // namespace

std::vector<std::size_t> other_axes(const PointLabels& labels, const std::vector<std::size_t>& groups,
                                    std::size_t axes, const std::vector<std::size_t>& taken) {
  const std::vector<bool> wanted = distinguishing_axes(labels, groups, axes, taken);
  std::vector<std::size_t> all;
  for (std::size_t a = 0; a < axes; ++a) {
    const bool several = std::ranges::any_of(labels, [&](const auto& l) { return l[a] != labels[0][a]; });
    if (wanted[a] && several && std::ranges::count(taken, a) == 0) all.push_back(a);
  }
  return all;
}

Combinations combinations(const PointLabels& labels, const std::vector<std::size_t>& axes) {
  Combinations all;
  std::map<std::vector<std::string>, std::size_t> numbers;
  for (const std::vector<std::string>& point : labels) {
    std::vector<std::string> values;
    for (const std::size_t a : axes) values.push_back(point[a]);
    const auto [found, is_new] = numbers.try_emplace(values, numbers.size());
    all.of_point.push_back(found->second);
    if (is_new) all.values.push_back(std::move(values));
  }
  return all;
}

std::string PivotTable::text(PivotFormat format) const {
  const bool latex = format == PivotFormat::kLatex, csv = format == PivotFormat::kCsv;
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& fields) {
    const std::string all =
        csv ? csv_prefix(fields) : fmt::format("{}", fmt::join(fields, latex ? " & " : " | "));
    // After \\ and \midrule LaTeX takes [ for the start of an option, and * for a part of the command.
    if (latex && (all.starts_with('[') || all.starts_with('*'))) out += "{}";
    out += csv ? all.substr(0, all.size() - 1) + "\n" : latex ? all + " \\\\\n" : "| " + all + " |\n";
  };
  std::vector<std::string> head, across(row_axes.size());
  for (const std::string& axis : row_axes) head.push_back(escaped(axis, format));
  for (const std::vector<std::string>& column : columns)
    head.push_back(escaped(fmt::format("{}", fmt::join(column, ", ")), format));
  const std::size_t first = row_axes.size() + 1, last = head.size();
  if (latex) {
    out += fmt::format("% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}{}}}\n\\toprule\n",
                       std::string(row_axes.size(), 'l'), std::string(columns.size(), 'r'));
    if (!column_axes.empty()) {
      across.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", columns.size(),
                                   escaped(fmt::format("{}", fmt::join(column_axes, ", ")), format)));
      add_row(across);
      out += fmt::format("\\cmidrule(lr){{{}-{}}}\n", first, last);
    }
  }
  add_row(head);
  if (latex) out += "\\midrule\n";
  if (!latex && !csv) {
    out += "|";
    for (std::size_t c = 1; c <= last; ++c) out += c < first ? "---|" : "---:|";
    out += "\n";
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::string> fields;
    for (const std::string& label : rows[r]) fields.push_back(escaped(label, format));
    for (const PivotCell& cell : cells[r]) {
      const bool empty = csv && std::isnan(cell.centre);
      fields.push_back(empty ? ""
                       : csv ? fmt::format("{}", cell.centre)
                             : cell_text(cell, symmetric, format));
    }
    add_row(fields);
  }
  if (csv) return out;
  out += latex ? "\\bottomrule\n\\end{tabular}\n" : "";
  for (const std::string& note : notes)
    out += latex ? "\\par\\smallskip{\\footnotesize " + escaped(note, format) + "\\par}\n"
                 : "\n" + escaped(note, format) + "\n";
  return out;
}

}  // namespace hearsay::analysis
