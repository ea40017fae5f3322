#include "analysis/trace/trace_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "sim/state/archive.hpp"

namespace hearsay::analysis {

namespace {

template <class Format, class... Values>
void append(std::string& out, const Format& format, const Values&... values) {
  fmt::format_to(std::back_inserter(out), format, values...);
}

void append_happening(std::string& out, sim::Cause key) {
  constexpr const char* kRankNames[] = {"down", "up", "message", "timer", "tick", "observation"};
  if (sim::source_of(key) == sim::kTimelineSource)
    return append(out, FMT_COMPILE("event:{}"), sim::sequence_of(key));
  append(out, FMT_COMPILE("{}:{}:{}"), kRankNames[static_cast<int>(sim::rank_of(key))], sim::source_of(key),
         sim::sequence_of(key));
}

// A table with one row per event. Numbers of a payload are separated by spaces, with all digits.
class TraceCsv final : public TraceText {
 public:
  explicit TraceCsv(bool payload) : payload_(payload) {}
  std::string head() override {
    return fmt::format(
        "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin{}\n",
        payload_ ? ",payload" : "");
  }
  void add(std::uint64_t sequence, const sim::TraceRecord& r, bool wanted, std::string& out) override {
    if (!wanted) return;
    const bool message = r.peer != sim::kNoAgent;
    append(out, FMT_COMPILE("{},{},{},"), sequence, r.time, sim::name(r.kind));
    if (r.agent != sim::kNoAgent) append(out, FMT_COMPILE("{}"), r.agent);
    out += ',';
    if (message) {
      append(out, FMT_COMPILE("{},"), r.peer);
      append_happening(out, r.message);
    } else {
      out += ',';
    }
    out += ',';
    if (r.cause != 0) append_happening(out, r.cause);
    out += ',';
    if (message) append(out, FMT_COMPILE("{}"), r.bytes);
    out += ',';
    if (!std::isnan(r.staleness)) append(out, FMT_COMPILE("{}"), r.staleness);
    append(out, FMT_COMPILE(",{},"), r.iteration);
    out += csv_field(r.detail);
    out += ',';
    if (r.origin != 0) append_happening(out, r.origin);
    if (payload_) {
      char before = ',';
      for (const double x : r.payload) append(out, FMT_COMPILE("{}{}"), std::exchange(before, ' '), x);
      if (r.payload.empty()) out += ',';
    }
    out += '\n';
  }
  void end(std::string&) override {}

 private:
  bool payload_;
};

}  // namespace

std::string happening(sim::Cause key) {
  std::string text;
  append_happening(text, key);
  return text;
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

void TraceFiles::save(cereal::BinaryOutputArchive& archive) const {
  archive(sequence_);
  for (const Open& one : open_) {
    archive(one.file->written());
    one.text->save(archive);
  }
}

void TraceFiles::load(cereal::BinaryInputArchive& archive) {
  archive(sequence_);
  for (Open& one : open_) {
    std::string text;
    archive(text);
    one.file->rewrite(text);
    one.text->load(archive);
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
