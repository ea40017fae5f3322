#include "analysis/trace/trace_files.hpp"

#include <set>

namespace hearsay::analysis {

TraceFiles::TraceFiles(const TraceOptions& options, const std::filesystem::path& folder) : options_(options) {
  for (const TraceFormat format : std::set(options.format.begin(), options.format.end())) {
    open_.push_back({trace_text(format, options), std::make_unique<OutputFile>(folder / file_name(format))});
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
  for (Open& one : open_) {
    buffer_.clear();
    one.text->end(buffer_);
    one.file->write(buffer_);
    one.file->commit();
  }
}

}  // namespace hearsay::analysis
