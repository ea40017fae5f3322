#pragma once
// The page of a study: one HTML file that needs nothing else, not even a network.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"

namespace hearsay::analysis {

/// What a page says of a study beside its numbers. Plain text; the page escapes it.
struct PageText {
  std::string title, description;
  std::vector<std::string> statements;  ///< what must be known before a number is believed
  std::vector<std::pair<std::string, std::string>> reproduce;  ///< how the study is made again: what, and how
  std::vector<std::string> unprivate;                          ///< fitted on private data without accounting
  std::vector<std::string> notes;
  std::string scenario;  ///< resolved, as JSON
};

/// Text as it may stand in HTML, in an attribute too.
std::string escaped(std::string_view text);

/// Throws OutputError if this program was built without the scripts that draw figures; one line says what to
/// do.
std::string page(const StudyData& study, const std::optional<TraceData>& trace, const PageText& text);

}  // namespace hearsay::analysis
