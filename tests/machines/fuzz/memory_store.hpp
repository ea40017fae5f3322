#pragma once
// Results in memory, read again and again.
#include "tests/machines/fuzz/memory_files.hpp"
#include "tests/machines/fuzz/store.hpp"

namespace hearsay::fuzz {

/// Half of the study: reading takes the longer, the more runs there are.
inline StudySize one_point() {
  return {.sets = {"sweep.privacy.epsilon=[1]"}, .runs = 2};
}

class MemoryStore {
 public:
  static constexpr std::size_t kPage = 4096;

  /// After open_files_in_memory().
  explicit MemoryStore(std::string pristine)
      : pristine_(std::move(pristine)),
        path_(folder() / std::to_string(memory_files().size())),
        bytes_(memory_files()[path_] = pristine_),
        database_(std::make_shared<analysis::Database>(path_, analysis::Database::Access::kRead)) {
    database_->run("PRAGMA journal_mode = MEMORY");
  }

  analysis::Database& database() { return *database_; }

  /// Calls f with the bytes as they were in the beginning, and returns what it returns.
  template <class F>
  bool change(F&& f) {
    bytes_ = pristine_;
    const bool changed = f(bytes_);
    // SQLite reads pages again that it has in memory if the counter of changes is another one; it is stored twice.
    ++changes_;
    for (std::size_t k = 0; k < 4; ++k)
      bytes_.at(24 + k) = bytes_.at(92 + k) = static_cast<char>(changes_ >> (24 - 8 * k));
    return changed;
  }

  /// Reads all; f(run) for each run that is not reported as damaged, also where the rest is refused.
  template <class F>
  void read(F&& f) {
    accepted<analysis::OutputError>([&] {
      analysis::StoredStudy stored(folder() / "out", database_);
      read_all(stored, f);
    });
    accepted<analysis::OutputError>([&] { analysis::known(*database_, study()); });
    database_->reset();
  }

 private:
  std::string pristine_, path_;
  std::string& bytes_;
  std::uint32_t changes_ = 1'000'000;
  std::shared_ptr<analysis::Database> database_;
};

}  // namespace hearsay::fuzz
