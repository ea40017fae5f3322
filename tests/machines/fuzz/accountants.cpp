// Answers of `hearsay privacy`. The arguments are an input's lines; without --accountant it is one of the quick ones, not
// all: pld takes a second.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/machines/fuzz/commands.hpp"

using namespace hearsay;

namespace {

// Standard output, read back.
class Output {
 public:
  Output() : descriptor_(memfd_create("output", 0)) {
    fuzz::require(descriptor_ >= 0 && dup2(descriptor_, STDOUT_FILENO) >= 0, "standard output in memory");
  }
  void clear() {
    std::fflush(stdout);
    fuzz::require(ftruncate(descriptor_, 0) == 0 && lseek(descriptor_, 0, SEEK_SET) == 0,
                  "clearing the output");
  }
  std::string text() {
    std::fflush(stdout);
    std::string all(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    fuzz::require(pread(descriptor_, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()),
                  "reading the output");
    return all;
  }

 private:
  int descriptor_;
};

Output& output() {
  static Output all;
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  output();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  scenarios::Arguments words = fuzz::lines_of(fuzz::text_of(data, size));
  bool json = false;
  for (std::size_t k = 0; k < words.size(); ++k)
    json |= words[k] == "--format=json" || (k > 0 && words[k - 1] == "--format" && words[k] == "json");
  const bool one =
      std::ranges::any_of(words, [](const auto& word) { return word.starts_with("--accountant"); });
  constexpr const char* kQuick[] = {"basic", "kairouz", "zcdp", "rdp"};
  if (!one) words.push_back(std::string("--accountant=") + kQuick[size % 4]);
  output().clear();
  fuzz::accepted<sim::Error>([&] {
    scenarios::privacy_command(words);
    const std::string text = output().text();
    if (!json || !text.starts_with('{')) return;
    const auto answer = nlohmann::json::parse(text);
    for (const auto& row : answer.at("accountants")) {
      for (const auto& [name, value] : row.items())
        fuzz::require(!value.is_null(), "answers are numbers");  // JSON has neither inf nor nan
    }
  });
  return 0;
}
