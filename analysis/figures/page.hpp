#pragma once
// The page of a study: one HTML file that needs no other file and no network.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"

namespace hearsay::analysis {

/// The text of a page. Plain text; the page escapes it.
struct PageText {
  std::string title, description;
  std::vector<std::string> statements;                         ///< restrictions that apply to every number
  std::vector<std::pair<std::string, std::string>> reproduce;  ///< how to reproduce the study: term, text
  std::vector<std::string> unaccounted;                        ///< fitted on private data without accounting
  std::vector<std::string> notes;
  std::string scenario;  ///< resolved, as JSON
};

/// Throws OutputError if this program was built without the scripts that draw figures.
std::string page(const StudyData& study, const std::optional<TraceData>& trace, const PageText& text);

/// A page that plays the traced run. Throws OutputError as page() does.
std::string player_page(StudyData study, const TraceData& trace, const std::string& title);

}  // namespace hearsay::analysis
