#include "sim/clocks/ticks.hpp"

#include <algorithm>
#include <cmath>

#include "sim/check.hpp"

namespace hearsay::sim {

namespace {

constexpr double kMaxBins = 4096;    // their ends fit the first-level cache
constexpr double kTicksOfBin = 256;  // at least, on average: they fit the first-level cache too
constexpr double kGaps = 8;          // mean gaps that the bins reach, at most

}  // namespace

Ticks::Ticks(const Clocks& clocks, AgentId first, AgentId agents, Time last) : clocks_(clocks), last_(last) {
  const double count = agents - first, in_bin = std::max(kTicksOfBin, count * kGaps / kMaxBins);
  per_width_ = clocks.total_rate(agents) / in_bin;
  check(std::isfinite(per_width_), "clocks whose rates add up to infinity");
  bins_.resize(static_cast<std::size_t>(std::ceil(count * kGaps / in_bin)));
  open_ = bins_.size();
  for (AgentId i = first; i < agents; ++i) put({clocks.tick(i, 0, 0), i, 0});
}

// An agent that ticks no more is in no bin.
void Ticks::put(const Tick& tick) {
  if (tick.time == kNever) return;
  const double at = place(tick.time);
  lists_.append(open_ < bins_.size() && at < static_cast<double>(bins_.size())
                    ? bins_[static_cast<std::size_t>(at)]
                    : rest_,
                tick);
}

void Ticks::refill() {
  static constexpr Tick kNone{kNever, 0, 0};
  while (next_ == end_) {
    if (open_next()) continue;
    next_ = &kNone;
    end_ = next_ + 1;
    ++opened_;
  }
}

// Opens the next bin, or finds the bins that come next; false if no agent ticks any more.
bool Ticks::open_next() {
  while (open_ < bins_.size() && bins_[open_] == nullptr) ++open_;
  if (open_ < bins_.size()) {
    open(open_);
  } else if (rest_ != nullptr) {
    divide();
  } else {
    return false;
  }
  return true;
}

// Distributes the rest over the bins, which begin at its first tick.
void Ticks::divide() {
  Time earliest = kNever;
  Lists<Tick>::for_each(rest_, [&earliest](const Tick& t) { earliest = std::min(earliest, t.time); });
  origin_ = earliest;
  open_ = 0;
  List pending = std::exchange(rest_, nullptr);
  lists_.drain(pending, [this](const Tick& t) { put(t); });
}

// Draws the ticks that follow those of a bin, and sorts the bin.
void Ticks::open(std::size_t b) {
  unsorted_.clear();
  lists_.drain(bins_[b], [this](const Tick& t) { unsorted_.push_back(t); });
  // The last round draws no tick in the bin.
  const double end = static_cast<double>(b + 1);
  for (std::size_t drawn = 0; drawn < unsorted_.size();) {
    following_.clear();
    for (; drawn < unsorted_.size(); ++drawn)
      if (unsorted_[drawn].time <= last_) following_.push_back(unsorted_[drawn]);
    clocks_.advance(following_);
    for (const Tick& t : following_) {
      if (place(t.time) < end) {
        unsorted_.push_back(t);
      } else {
        put(t);
      }
    }
  }
  open_ = b + 1;
  const auto known = static_cast<std::size_t>(end_ - next_);
  if (known > 0 && next_ != sorted_.data()) std::copy(next_, end_, sorted_.data());
  if (sorted_.size() < known + unsorted_.size()) sorted_.resize(known + unsorted_.capacity());
  sort_(std::span<const Tick>(unsorted_), sorted_.data() + known,
        [this, first = static_cast<double>(b)](const Tick& t) { return place(t.time) - first; });
  next_ = sorted_.data();
  end_ = next_ + known + unsorted_.size();
  opened_ += static_cast<double>(unsorted_.size());
}

// Of an agent with ticks in the open bin the first of them.
std::vector<Tick> Ticks::next_of_all() const {
  std::vector<Tick> next;
  std::vector<bool> open;
  const auto add = [&](const Tick& tick) {
    if (open.size() <= tick.agent) open.resize(std::size_t{tick.agent} + 1);
    if (tick.time < kNever && !open[tick.agent]) next.push_back(tick);
  };
  for (const Tick* tick = next_; tick != end_; ++tick) {
    add(*tick);
    open[tick->agent] = true;
  }
  for (const List bin : bins_) Lists<Tick>::for_each(bin, add);
  Lists<Tick>::for_each(rest_, add);
  return next;
}

void Ticks::redraw(Time from) {
  std::vector<Tick> next = next_of_all();
  for (Tick& tick : next) tick.time = clocks_.tick(tick.agent, tick.n, from);
  begin_from(next, popped());
}

void Ticks::begin_from(std::span<const Tick> next, double popped) {
  std::fill(bins_.begin(), bins_.end(), nullptr);
  rest_ = nullptr;
  next_ = end_;
  open_ = bins_.size();
  for (const Tick& tick : next) put(tick);
  opened_ = popped;
}

}  // namespace hearsay::sim
