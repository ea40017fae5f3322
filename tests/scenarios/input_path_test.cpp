#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "scenarios/language/json/merge.hpp"
#include "scenarios/language/reader.hpp"
#include "tests/support/input_message.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;
using test::Scratch;

namespace {

std::string resolved(const std::string& file, const scenarios::ReadOptions& options = {}) {
  std::string out;
  const std::string message = test::message_of([&] {
    const auto document = scenarios::load(file);
    toy::Study study;
    scenarios::read(document, document.root, study, options);
    out = study.data->resolved;
  });
  return message == "accepted" ? out : message;
}

}  // namespace

TEST_CASE("input files: found beside the file that names them, then in the data folders") {
  const Scratch dir;
  const std::string near = dir.write("s/d/t.csv", "1"), far = dir.write("data/t.csv", "2");
  dir.write("base/b.json", R"({"data": "own.csv"})");
  const std::string own = dir.write("base/own.csv", "3");
  CHECK(resolved(dir.write("s/a.json", R"({"data": "d/t.csv"})")) == near);
  CHECK(resolved(dir.write("s/b.json", R"({"data": "t.csv"})"), {{dir / "data"}, {}}) == far);
  CHECK(resolved(dir.write("s/c.json", R"({"extends": "../base/b.json"})")) == own);
  CHECK(resolved(dir.write("s/e.json", R"({"data": "../data/t.csv"})"), {{}, {dir / "data"}}) == far);
  CHECK(resolved(dir.write("s/f.json", "{\"data\": \"" + far + "\"}"), {{}, {far}}) == far);
}

TEST_CASE("input files: what leads outside is refused, whether it is there or not") {
  const Scratch dir;
  const std::string outside = dir.write("outside.csv", "1");
  const std::string file = dir / "s/a.json";
  dir.write("s/in.csv", "1");
  std::filesystem::create_symlink(outside, dir / "s/link.csv");
  std::filesystem::create_symlink("in.csv", dir / "s/inner.csv");
  const auto refusal = [&](const std::string& path) {
    dir.write("s/a.json", "{\"data\": \"" + path + "\"}");
    return resolved(file);
  };
  const auto expected = [&](const std::string& path) {
    return file + ":1:10: /data: expected a file under " +
           dir / "s (see --data-dir and --allow-path), found \"" + path + "\"";
  };
  for (const std::string& path :
       {std::string("../outside.csv"), std::string("../none.csv"), outside, std::string("/etc/passwd"),
        std::string("link.csv"), std::string("none.csv"), std::string("../s-other/x.csv")}) {
    CHECK(refusal(path) == expected(path));
  }
  CHECK(refusal("inner.csv") == dir / "s/in.csv");
  CHECK(refusal("../s/in.csv") == dir / "s/in.csv");
  CHECK(refusal(".") == file + ":1:10: /data: expected a regular file, found a directory");
  REQUIRE(mkfifo((dir / "s/pipe").c_str(), 0600) == 0);
  CHECK(refusal("pipe") == file + ":1:10: /data: expected a regular file, found a FIFO");
}
