#include "analysis/trace/trace_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "analysis/trace/trace_text.hpp"
#include "sim/hash.hpp"

namespace hearsay::analysis {

namespace {

// Digest of a record and of all before it in its block.
std::uint64_t digest(const sim::TraceRecord& r, std::uint64_t before) {
  const std::uint64_t words[] = {
      std::bit_cast<std::uint64_t>(r.time),
      static_cast<std::uint64_t>(r.kind),
      (std::uint64_t{r.agent} << 32) | r.peer,
      r.message,
      r.cause,
      r.bytes,
      std::isnan(r.staleness) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(r.staleness)};
  const std::uint64_t numbers = sim::hash_of(words, sizeof words, before);
  return sim::hash_of(r.detail.data(), r.detail.size(), numbers);
}

// Digests of the blocks of a run, compared with those of another run if it is given.
class Digests final : public sim::TraceSink {
 public:
  explicit Digests(const Digests* other = nullptr) : other_(other) {}
  void record(const sim::TraceRecord& r) override {
    if (enough) return;
    current_ = digest(r, current_);
    if (++count_ % kTraceBlock == 0) end_block();
  }
  void end_block() {
    if (other_ != nullptr &&
        (blocks_.size() >= other_->blocks_.size() || other_->blocks_[blocks_.size()] != current_))
      enough = true;
    blocks_.push_back(current_);
    current_ = 0;
  }
  // The first block that differs from the other run, after the run. A run that ends earlier differs in its last
  // block, which may be empty.
  std::optional<std::uint64_t> differs() const {
    return enough ? std::optional(blocks_.size() - 1) : std::nullopt;
  }
  std::atomic<bool> enough = false;

 private:
  const Digests* other_;
  std::vector<std::uint64_t> blocks_;
  std::uint64_t current_ = 0, count_ = 0;
};

// Stores the events of one block.
class Block final : public sim::TraceSink {
 public:
  explicit Block(std::uint64_t block) : from_(block * kTraceBlock) {}
  void record(const sim::TraceRecord& r) override {
    const std::uint64_t number = count_++;
    if (number < from_ || enough) return;
    events.push_back({r, std::string(r.detail)});
    events.back().record.detail = {};
    events.back().record.payload = {};
    enough = events.size() == kTraceBlock;
  }
  std::vector<TracedEvent> events;
  std::atomic<bool> enough = false;

 private:
  std::uint64_t from_, count_ = 0;
};

bool same(const TracedEvent& a, const TracedEvent& b) {
  return digest(a.record, 0) == digest(b.record, 0) && a.detail == b.detail;
}

}  // namespace

std::string event_text(const TracedEvent& e, const std::vector<std::string>& names) {
  const sim::TraceRecord& r = e.record;
  const auto named = [&](sim::AgentId i) {
    return i < names.size() && !names[i].empty() ? fmt::format("{} ({})", i, names[i]) : std::to_string(i);
  };
  std::string text = fmt::format("{} s  {}", r.time, sim::name(r.kind));
  if (r.agent != sim::kNoAgent) text += "  agent " + named(r.agent);
  const bool sent = r.kind == sim::TraceKind::kSend || r.kind == sim::TraceKind::kPublish;
  if (r.peer != sim::kNoAgent)
    text += fmt::format(" {} {}  {}", sent ? "to" : "from", named(r.peer), happening(r.message));
  if (r.cause != 0 && r.cause != r.message) text += fmt::format("  in {}", happening(r.cause));
  if (r.peer != sim::kNoAgent) text += fmt::format("  {} B", r.bytes);
  if (!e.detail.empty()) text += "  " + e.detail;
  return text;
}

std::optional<EventDifference> first_difference(const MakeRun& first, const MakeRun& second) {
  Digests a;
  first(a, a.enough);
  a.end_block();
  Digests b(&a);
  second(b, b.enough);
  if (!b.enough) b.end_block();
  const auto block = b.differs();
  if (!block) return std::nullopt;

  Block of_first(*block), of_second(*block);
  first(of_first, of_first.enough);
  second(of_second, of_second.enough);
  const auto& x = of_first.events;
  const auto& y = of_second.events;
  const auto [p, q] = std::mismatch(x.begin(), x.end(), y.begin(), y.end(), same);
  if (p == x.end() && q == y.end()) return std::nullopt;
  EventDifference difference{.number = *block * kTraceBlock + static_cast<std::uint64_t>(p - x.begin())};
  if (p != x.end()) difference.first = *p;
  if (q != y.end()) difference.second = *q;
  return difference;
}

}  // namespace hearsay::analysis
