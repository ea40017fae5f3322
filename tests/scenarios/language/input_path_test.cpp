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

std::string resolved(const std::string& file, const scenarios::Folders& folders = {}) {
  std::string out;
  const std::string message = test::message_of([&] {
    const auto document = scenarios::load(file);
    toy::Study study;
    scenarios::read(document, document.root, study, folders);
    out = study.data->resolved;
  });
  return message == "accepted" ? out : message;
}

}  // namespace

TEST_CASE("input files: found in the folder of the file that names them, then in the data folders") {
  const Scratch dir;
  const std::string near = dir.write("s/d/t.csv", "1"), far = dir.write("data/t.csv", "2");
  dir.write("base/b.json", R"({"data": "own.csv"})");
  dir.write("scenario.schema.json", "{}");
  const std::string own = dir.write("base/own.csv", "3");
  CHECK(resolved(dir.write("s/a.json", R"({"data": "d/t.csv"})")) == near);
  CHECK(resolved(dir.write("s/b.json", R"({"data": "t.csv"})"), {dir / "data"}) == far);
  CHECK(resolved(dir.write("s/c.json", R"({"extends": "../base/b.json"})")) == own);
  CHECK(resolved(dir.write("s/e.json", R"({"data": "../data/t.csv"})"), {dir / "data"}) == far);
  CHECK(resolved(dir.write("s/f.json", "{\"data\": \"" + far + "\"}"), {far}) == far);
}

TEST_CASE("input files: a file outside is refused in the same words whether it exists or not") {
  const Scratch dir;
  const std::string outside = dir.write("outside.csv", "1");
  const std::string file = dir / "s/a.json";
  dir.write("s/in.csv", "1");
  std::filesystem::create_symlink(outside, dir / "s/link.csv");
  std::filesystem::create_symlink(outside + ".none", dir / "s/dangling.csv");
  std::filesystem::create_symlink("in.csv", dir / "s/inner.csv");
  const auto refusal = [&](const std::string& path) {
    dir.write("s/a.json", "{\"data\": \"" + path + "\"}");
    return resolved(file);
  };
  const auto forbidden = [&](const std::string& path) {
    return file + ":1:10: /data: file \"" + path + "\" is outside " + dir / "s" +
           "; to allow its folder, use --allow-path";
  };
  for (const std::string& path :
       {std::string("../outside.csv"), std::string("../none.csv"), outside, std::string("/etc/passwd"),
        std::string("/etc/none"), std::string("link.csv"), std::string("dangling.csv"),
        std::string("../s-other/x.csv")}) {
    CHECK(refusal(path) == forbidden(path));
  }
  for (const char* path : {"none.csv", "../s/none.csv"}) {
    CHECK(refusal(path) == file + ":1:10: /data: file \"" + path + "\" not found in " + dir / "s" +
                               "; to search another folder, use --data-dir");
  }
  CHECK(refusal("inner.csv") == dir / "s/in.csv");
  CHECK(refusal("../s/in.csv") == dir / "s/in.csv");
  CHECK(refusal(".") == file + ":1:10: /data: expected a regular file, found a directory");
  REQUIRE(mkfifo((dir / "s/pipe").c_str(), 0600) == 0);
  CHECK(refusal("pipe") == file + ":1:10: /data: expected a regular file, found a FIFO");
}
