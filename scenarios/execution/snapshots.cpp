#include "scenarios/execution/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/interprocess/streams/bufferstream.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <new>
#include <optional>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <utility>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/terminal/terminal.hpp"
#include "sim/hash.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::size_t kBlock = 1 << 20;  // bytes that are hashed at a time
// By wall-clock time, saving takes at most one in so many seconds.
constexpr int kShare = 20;

std::string first_line(const SnapshotPlace& place) {
  return fmt::format("hearsay snapshot 6 {}\n", place.identity);
}

// Passes what is written on in blocks, and hashes them; all but the last are full, as nothing flushes it before the end.
class Blocks final : public std::streambuf {
 public:
  explicit Blocks(analysis::OutputFile& file) : file_(file), block_(kBlock) { empty(); }
  std::uint64_t finish() {
    sync();
    return hash_;
  }

 private:
  void empty() { setp(block_.data(), block_.data() + block_.size()); }
  int sync() override {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    hash_ = sim::hash_of(pbase(), size, hash_);
    file_.write({pbase(), size});
    empty();
    return 0;
  }
  int_type overflow(int_type byte) override {
    sync();
    return sputc(traits_type::to_char_type(byte));
  }

  analysis::OutputFile& file_;
  std::vector<char> block_;
  std::uint64_t hash_ = 0;
};

std::uint64_t hash_of_blocks(std::string_view text) {
  std::uint64_t hash = 0;
  for (;;) {
    const std::string_view block = text.substr(0, kBlock);
    hash = sim::hash_of(block.data(), block.size(), hash);
    if (block.size() == text.size()) return hash;
    text.remove_prefix(block.size());
  }
}

// The state in a file, and what is wrong with it.
struct Read {
  std::string text;
  std::size_t begin = 0;
  const char* wrong = nullptr;
};

std::optional<Read> read(const SnapshotPlace& place) {
  std::error_code error;
  std::ifstream file(place.file, std::ios::binary | std::ios::ate);
  if (!file || !std::filesystem::is_regular_file(place.file, error)) return std::nullopt;
  Read found;
  found.text.resize(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(found.text.data(), static_cast<std::streamsize>(found.text.size()));
  const std::string line = first_line(place);
  std::uint64_t hash = 0;
  if (!file || found.text.size() < sizeof hash) {
    found.wrong = "is damaged";
    return found;
  }
  const std::size_t end = found.text.size() - sizeof hash;
  std::memcpy(&hash, found.text.data() + end, sizeof hash);
  if (hash != hash_of_blocks(std::string_view(found.text).substr(0, end))) {
    found.wrong = "is damaged";
  } else if (!found.text.starts_with(line)) {
    found.wrong = "is of another build, scenario or data";
  }
  found.text.resize(end);
  found.begin = found.text.find('\n', line.size()) + 1;
  return found;
}

}  // namespace

void SnapshotPlace::remove() const {
  std::error_code error;
  if (std::filesystem::remove(file, error))
    std::filesystem::remove(file.parent_path(), error);  // if it is empty
}

Snapshots::Snapshots(const Keeping& how, const std::optional<SnapshotOptions>& options, Recording recording,
                     std::uint32_t continuation)
    : how_(how), options_(options), recording_(std::move(recording)), continuation_(continuation) {}

// What happens at the time of the branches is theirs.
sim::Time Snapshots::pause_after() {
  const bool past = how_.ends_as != nullptr && how_.parting.by_time();
  return std::min(how_.pause, past ? std::nextafter(how_.parting.time, 0) : sim::kNever);
}

std::uint64_t Snapshots::pause_at_iteration() {
  return how_.ends_as != nullptr ? how_.parting.iteration : Parting::kNoIteration;
}

bool Snapshots::due(const models::World& world) {
  if (!options_) return false;
  if (options_->time) {
    was_due_ = world.engine.now() >= next_time_;
  } else if (options_->iterations) {
    was_due_ = world.iterations >= next_iteration_;
  } else {
    was_due_ = Clock::now() >= due_;
  }
  return was_due_;
}

// The next snapshot, after one that has taken so long.
void Snapshots::plan(const models::World& world, Clock::duration taken) {
  if (!options_) return;
  if (options_->time) next_time_ = world.engine.now() + *options_->time;
  if (options_->iterations) next_iteration_ = world.iterations + *options_->iterations;
  const std::chrono::duration<double> wall(options_->wall.value_or(kSnapshotWall));
  due_ = Clock::now() + std::max(kShare * taken, std::chrono::duration_cast<Clock::duration>(wall));
}

void Snapshots::keep(const models::World& world, const models::RunState& state) {
  const Clock::time_point begin = Clock::now();
  const bool ends = !std::exchange(was_due_, false);  // it is the time of the pause
  const Parting& parting = how_.parting;
  if (ends && how_.ends_as != nullptr &&
      (parting.by_time() ? parting.time <= how_.pause : world.iterations >= parting.iteration)) {
    std::ostringstream out(std::ios::binary);
    save(out, state);
    how_.ends_as->state = std::move(out).str();
    how_.ends_as->at = parting.by_time() ? parting.time : world.engine.now();
    throw Interrupted();
  }
  const SnapshotPlace place = how_.place();
  std::string why;
  try {
    write(place, world, state);
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  } catch (const sim::Error& error) {
    why = error.what();
  }
  // A pause is for the sake of the state.
  if (ends && !why.empty())
    throw analysis::OutputError(fmt::format("{}: its state is not kept: {}", place.run, why));
  if (ends) throw Interrupted();
  if (!why.empty()) {
    print_message(fmt::format("note: {}: its state is not kept: {}", place.run, why));
    options_.reset();
  }
  plan(world, Clock::now() - begin);
}

void Snapshots::save(std::ostream& out, const models::RunState& state) const {
  recording_.save(out);
  state.save(out);
}

void Snapshots::write(const SnapshotPlace& place, const models::World& world,
                      const models::RunState& state) const {
  std::error_code error;  // reported with the file: a rank on another machine may have no folder of results
  std::filesystem::create_directory(place.file.parent_path(), error);
  analysis::OutputFile file(place.file);
  Blocks blocks(file);
  std::ostream out(&blocks);
  out.exceptions(std::ios::badbit);
  out << first_line(place) << fmt::format("{} {}\n", world.engine.now(), world.iterations);
  save(out, state);
  const std::uint64_t hash = blocks.finish();
  file.write({reinterpret_cast<const char*>(&hash), sizeof hash});
  file.commit();
}

void Snapshots::resume(const models::World& world, models::RunState& state) {
  if (how_.begins_as != nullptr) state.continue_as(continuation_);
  if (!(how_.goes_on && go_on(world, state)) && how_.begins_as != nullptr) {
    load(how_.begins_as->state, state);
    state.branch(how_.begins_as->at);
    if (continuation_ != 0) state.redraw(how_.begins_as->at);
  }
  if (how_.begun != nullptr) *how_.begun = true;
  plan(world, {});
}

void Snapshots::load(std::string_view text, models::RunState& state) const {
  boost::interprocess::ibufferstream in(text.data(), text.size());
  recording_.load(in);
  state.load(in);
}

// Whether there was a state to go on from.
bool Snapshots::go_on(const models::World& world, models::RunState& state) const {
  SnapshotPlace place = how_.place();
  auto found = read(place);
  const bool copied = !found && how_.from;
  if (copied) found = read(place = how_.from());
  if (!found) return false;
  if (found->wrong != nullptr) {
    print_message(fmt::format("note: {} {}: {} begins again", place.file.string(), found->wrong, place.run));
    return false;
  }
  load(std::string_view(found->text).substr(found->begin), state);
  if (copied && (world.engine.now() >= how_.parting.time || world.iterations >= how_.parting.iteration))
    throw sim::UserError("{}: its state is of {} s, iteration {}: let the branches part later", place.run,
                         world.engine.now(), world.iterations);
  print_message(fmt::format("{} goes on from {:.6g} s (iteration {})", place.run, world.engine.now(),
                            world.iterations));
  return true;
}

}  // namespace hearsay::scenarios
