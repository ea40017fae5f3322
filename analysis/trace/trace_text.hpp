#pragma once
// The events of one run as text, in one of several formats. Events are named by kind, source and number: "tick:3:17" is
// the 17th tick of agent 3 (from 0), "message:3:5" the 5th message that it sent, "event:2" the 2nd of the scenario's
// events.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "analysis/trace/trace_options.hpp"

namespace cereal {
class BinaryInputArchive;
class BinaryOutputArchive;
}  // namespace cereal

namespace hearsay::analysis {

/// "tick:3:17".
std::string happening(sim::Cause key);

/// Converts the records of a run to text as they arrive, with little memory.
class TraceText {
 public:
  virtual ~TraceText() = default;
  /// The text before the first record.
  virtual std::string head() = 0;
  /// Appends the text of a record, perhaps also of earlier ones. To be called with all records of the run in their
  /// order; only `wanted` ones are written; `sequence` counts all from 0.
  virtual void add(std::uint64_t sequence, const sim::TraceRecord& record, bool wanted, std::string& out) = 0;
  /// Appends the text after the last record.
  virtual void end(std::string& out) = 0;
  /// What it has kept of the records so far.
  virtual void save(cereal::BinaryOutputArchive& archive) const { static_cast<void>(archive); }
  virtual void load(cereal::BinaryInputArchive& archive) { static_cast<void>(archive); }

 protected:
  TraceText() = default;
  TraceText(const TraceText&) = default;
  TraceText& operator=(const TraceText&) = default;
};

/// `names`: of agents, for the tracks of Perfetto; may be empty.
std::unique_ptr<TraceText> trace_text(TraceFormat format, const TraceOptions& options,
                                      std::vector<std::string> names = {});
/// The same for TraceFormat::kPerfetto.
std::unique_ptr<TraceText> perfetto_text(const TraceOptions& options, std::vector<std::string> names = {});

/// The files of a traced run, one per format: trace.csv, trace.perfetto.json.
class TraceFiles final : public sim::TraceSink {
 public:
  /// Throws OutputError.
  TraceFiles(const TraceOptions& options, const std::filesystem::path& folder,
             const std::vector<std::string>& names = {});
  void record(const sim::TraceRecord& record) override;
  void commit();
  /// The text so far is part of the state.
  void save(cereal::BinaryOutputArchive& archive) const;
  void load(cereal::BinaryInputArchive& archive);

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
