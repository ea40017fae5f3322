#pragma once
// The files of a traced run, one per format.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/results/tables/output_file.hpp"
#include "analysis/trace/trace_text.hpp"

namespace hearsay::analysis {

class TraceFiles final : public sim::TraceSink {
 public:
  /// Throws OutputError.
  TraceFiles(const TraceOptions& options, const std::filesystem::path& folder);
  void record(const sim::TraceRecord& record) override;
  void commit();

 private:
  struct Open {
    std::unique_ptr<TraceText> text;
    std::unique_ptr<OutputFile> file;
  };
  TraceOptions options_;
  std::vector<Open> open_;
  std::string buffer_;
  std::uint64_t sequence_ = 0;  // of all records, written or not
};

}  // namespace hearsay::analysis
