#include "analysis/trace/trace_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

namespace hearsay::analysis {

namespace {

// A table with one row per event. Numbers of a payload are separated by spaces, with all digits.
class TraceCsv final : public TraceText {
 public:
  explicit TraceCsv(bool payload) : payload_(payload) {}
  std::string head() override {
    return fmt::format(
        "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail{}\n",
        payload_ ? ",payload" : "");
  }
  void add(std::uint64_t sequence, const sim::TraceRecord& r, bool wanted, std::string& out) override {
    if (!wanted) return;
    const bool message = r.peer != sim::kNoAgent;
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{}", sequence, r.time,
                   sim::name(r.kind), r.agent == sim::kNoAgent ? "" : fmt::format("{}", r.agent),
                   message ? fmt::format("{}", r.peer) : "", message ? happening(r.message) : "",
                   r.cause == 0 ? "" : happening(r.cause), message ? fmt::format("{}", r.bytes) : "",
                   std::isnan(r.staleness) ? "" : fmt::format("{}", r.staleness), r.iteration,
                   csv_field(r.detail));
    if (payload_) fmt::format_to(std::back_inserter(out), ",{}", fmt::join(r.payload, " "));
    out += '\n';
  }
  void end(std::string&) override {}

 private:
  bool payload_;
};

}  // namespace

std::string happening(sim::Cause key) {
  if (sim::source_of(key) == sim::kTimelineSource) return fmt::format("event:{}", sim::sequence_of(key));
  constexpr const char* kRankNames[] = {"down", "up", "message", "timer", "tick", "observation"};
  return fmt::format("{}:{}:{}", kRankNames[static_cast<int>(sim::rank_of(key))], sim::source_of(key),
                     sim::sequence_of(key));
}

std::unique_ptr<TraceText> trace_text(TraceFormat format, const TraceOptions& options,
                                      std::vector<std::string> names) {
  if (format == TraceFormat::kPerfetto) return perfetto_text(options, std::move(names));
  return std::make_unique<TraceCsv>(options.payload);
}

TraceFiles::TraceFiles(const TraceOptions& options, const std::filesystem::path& folder,
                       const std::vector<std::string>& names)
    : options_(options) {
  for (const TraceFormat format : std::set(options.format.begin(), options.format.end())) {
    const char* name = format == TraceFormat::kCsv ? "trace.csv" : "trace.perfetto.json";
    open_.push_back({trace_text(format, options, names), std::make_unique<OutputFile>(folder / name)});
    open_.back().file->write(open_.back().text->head());
  }
}

void TraceFiles::record(const sim::TraceRecord& r) {
  const std::uint64_t sequence = sequence_++;
  const bool wanted = options_.wants(r);
  for (Open& one : open_) {
    buffer_.clear();
    one.text->add(sequence, r, wanted, buffer_);
    if (!buffer_.empty()) one.file->write(buffer_);
  }
}

void TraceFiles::commit() {
  std::vector<OutputFile*> files;
  for (Open& one : open_) {
    buffer_.clear();
    one.text->end(buffer_);
    one.file->write(buffer_);
    files.push_back(one.file.get());
  }
  analysis::commit(files);
}

}  // namespace hearsay::analysis
