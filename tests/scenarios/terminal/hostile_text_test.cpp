// Names that would steer a terminal, flood it, or are no text at all: in scenarios, files, paths and arguments.
#include <nlohmann/json.hpp>

#include "scenarios/terminal/terminal.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// ESC [ 2 J clears a terminal, U+009B is its CSI in one character, U+202E turns the direction of writing; bell,
// return, delete.
const std::string kHostile =
    "\x1b[2J\xc2\x9b"
    "31m\xe2\x80\xae\x07\r\x7f";
// The same in a JSON text.
const std::string kInJson = R"(\u001b[2J\u009b31m\u202e\u0007\r\u007f)";

// Words of bash: single quotes would end at none of these characters.
std::string word(const std::string& text) {
  return "'" + text + "'";
}

// Text for people: line feeds and visible characters in UTF-8, lines of a stated length.
void check_printable(const std::string& text, std::size_t longest) {
  CHECK_NOTHROW(nlohmann::json(text).dump());  // throws for invalid UTF-8
  std::size_t characters = 0, most = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    if (byte == '\n') characters = 0;
    characters += byte != '\n' && (byte & 0xc0) != 0x80 ? 1 : 0;
    most = std::max(most, characters);
    const bool control = (byte < 0x20 && byte != '\n') || byte == 0x7f ||
                         (byte == 0xc2 && static_cast<unsigned char>(text[k + 1]) < 0xa0);
    if (control || text.compare(k, 3, "\xe2\x80\xae") == 0) FAIL_CHECK("byte " << int(byte) << " at " << k);
  }
  CHECK(most <= longest);
}

Outcome check(const std::string& command, std::vector<int> codes, bool for_people = true) {
  const Outcome outcome = shell("hearsay " + command);
  INFO(command.substr(0, 300));
  INFO(outcome.err.substr(0, 300));
  CHECK(std::count(codes.begin(), codes.end(), outcome.code) == 1);
  if (for_people) check_printable(outcome.out, scenarios::kLongestLine);
  check_printable(outcome.err, scenarios::kLongestMessage);
  return outcome;
}

// A study of two points on a file of two owners, all with hostile names; `name` is that of the study.
std::string scenario(const std::string& name, const std::string& label) {
  return R"({"name": ")" + name + R"(", "description": ")" + name + R"(",
  "data": {"type": "csv", "path": "d.csv", "target": "y", "owner": {"column": "who"}, "impute": "mean",
           "encode": "one_hot", "standardise": true, "test_fraction": 0.25},
  "model": {"loss": "squared", "l2": 0.1},
  "network": {"topology": "star"},
  "protocol": {"type": "central_async", "rho": 0.001},
  "privacy": {"mechanism": "none"},
  "stop": {"iterations": 20},
  "record": {"every": {"iterations": 10}, "metrics": ["relative_fitness"], "trace": {"format": ["csv"]}},
  "sweep": {"model.l2": [0.1, {"label": ")" +
         label + R"(", "value": 0.2}]}})";
}

std::string table(const std::string& name) {
  std::string text = "who,y,\"a" + name + "\",b\n";
  for (int i = 0; i < 16; ++i) {
    text += (i % 2 == 0 ? "\"first" + name + '"' : "other") + "," + std::to_string(i) + "," +
            (i == 3 ? "" : std::to_string(i * i)) + ",\"v" + name + std::to_string(i % 2) + "\"\n";
  }
  return text;
}

}  // namespace

TEST_CASE("hostile text: names in scenarios and files reach no terminal as they are") {
  const Scratch dir;
  const std::string folder = kHostile + "caf\xe9/";
  dir.write(folder + "d.csv", table(kHostile));
  const std::string file = word(dir.write(folder + "s" + kHostile + ".json", scenario(kInJson, kInJson)));
  const std::string out = word(dir / (folder + "out")), other = word(dir / (folder + "other"));
  check("validate " + file, {0});
  check("run " + file + " --dry-run -o " + out, {0});
  check("run " + file + " -o " + out, {0});
  check("run " + file + " -o " + out, {0});
  check("run " + file + " --seed 2 --no-progress -o " + other, {0});
  check("show " + file + " --runs", {0});
  check("report " + out, {0});
  check("export " + out, {0});
  check("export " + out + " --format graphml", {0});
  const std::string refused = check("verify " + out, {2}).err, kRun = "; to read them, run ";
  CHECK(shell(refused.substr(refused.find(kRun) + kRun.size())).code == 0);
  check("diff " + out + " " + other, {1});
  check("compare " + out, {0});
  check("compare " + out + " " + other, {0});
  check("compare " + out + " --format csv", {0}, false);
  check("compare " + out + " --over model.l2", {0});
  for (const std::string format : {"markdown", "latex"}) {
    check("export " + out + " --columns model.l2 --format " + format, {0});
    check("export " + out + " --rows model.l2 --format " + format, {0});
  }
  check("trace " + file, {0}, false);
  check("forecast " + out + " --fit 'N>9'", {2});
  // What show prints is read as the same names.
  const Outcome shown = check("show " + file, {0});
  const auto json = nlohmann::json::parse(shown.out);
  CHECK(json["name"] == kHostile);
  CHECK(json["sweep"]["model.l2"][1]["label"] == kHostile);
  // The manifest can be read, and its command repeats the run in bash.
  const auto manifest = nlohmann::json::parse(test::text_of(dir / (folder + "out/manifest.json")));
  CHECK(manifest["scenario"]["name"] == kHostile);
  const std::string command = manifest["command"];
  check_printable(command, 4096);
  const Outcome again = shell(command);
  CHECK(again.code == 0);
  CHECK_THAT(again.out, Catch::Contains("(0 new)"));
  // CSV files keep the text.
  CHECK_THAT(test::text_of(dir / (folder + "out/series.csv")), Catch::Contains(kHostile));
  // A graph in XML, which cannot contain control characters.
  CHECK(shell("python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' " +
              word(dir / (folder + "out/network.graphml")))
            .code == 0);
}

TEST_CASE("hostile text: arguments are shown escaped in messages") {
  const Scratch dir;
  const std::string good =
      dir.write("s.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 2]})"));
  REQUIRE(shell("hearsay run " + good + " --no-progress -o " + dir / "out").code == 0);
  const std::string out = dir / "out";
  for (const std::string& hostile : {kHostile, "caf\xe9" + kHostile, std::string(100'000, '\x1b')}) {
    const std::string bad = word(hostile);
    for (const char* command :
         {"", "run ", "validate ", "show ", "explain ", "list ", "report ", "export ", "verify ", "diff a ",
          "compare ", "forecast ", "trace ", "privacy ", "bench ", "schema "}) {
      check(command + bad, {2});
      check(std::string(command) + "--" + bad, {2});
    }
    check("run " + good + " --set " + bad, {2});
    check("run " + good + " --set " + bad + "=1", {2});
    check("run " + good + " --set protocol.type=" + bad, {2});
    check("run " + good + " --set sweep." + bad + "=[1]", {2});
    check("run " + good + " --set 'sweep.privacy.epsilon=[" + hostile + "]'", {2});
    check("run " + good + " --points " + bad, {2});
    check("run " + good + " --data-dir " + bad, {2});
    check("run " + good + " --jobs " + bad, {2});
    check("compare " + out + " --metric " + bad, {2});
    check("compare " + out + " --over " + bad, {2});
    check("compare " + out + " --over privacy.epsilon --baseline " + bad, {2});
    check("export " + out + " --rows " + bad, {2});
    check("export " + out + " --rows privacy.epsilon --at privacy.epsilon=" + bad, {2});
    check("forecast " + out + " --term " + bad, {2});
    check("forecast " + out + " --coalition " + bad, {2});
    check("trace " + out + " --kinds " + bad, {2});
    check("privacy --steps 1 --mechanism " + bad, {2});
  }
}

TEST_CASE("hostile text: long names make short messages") {
  const Scratch dir;
  const std::string half_mebibyte(1 << 19, 'x');
  const auto file = [&](const std::string& text) { return dir.write("s.json", text); };
  check("validate " + file(R"({"data": ")" + half_mebibyte + "\"}"), {2});
  check("validate " + file("{\"" + half_mebibyte + "\": 1}"), {2});
  check("validate " + file(test::small_scenario("\"sweep\": {\"" + half_mebibyte + "\": [1]}")), {2});
  check("validate " + file(test::small_scenario("\"extends\": \"" + half_mebibyte + '"')), {2});
  // A column, a field, an owner of 10 MB.
  const std::string long_name(10'000'000 / test::kOneOf, 'z');
  const std::string on_file = dir.write("c.json", scenario("n", "l"));
  for (const char* text : {"who,y,", "who,y,a\nme,1,", "who,y\n"}) {
    dir.write("d.csv", text + long_name + "\n");
    check("run " + on_file + " --no-progress -o " + dir / "c", {0, 2});
  }
  // A point with a long label is run, and shown in a table.
  dir.write("d.csv", table(""));
  const std::string wide = dir.write("w.json", scenario("n", half_mebibyte));
  check("run " + wide + " --no-progress -o " + dir / "w", {0});
  check("show " + wide + " --runs", {0});
  check("compare " + dir / "w", {0});
}

TEST_CASE("hostile text: what is not UTF-8 is refused where it is read") {
  const Scratch dir;
  const auto refused = [&](const std::string& command, const std::string& part) {
    const Outcome outcome = check(command, {2});
    CHECK_THAT(outcome.err, Catch::Contains(part));
    CHECK(outcome.out.empty());
  };
  const std::string file = dir.write("s.json", scenario("n", "l"));
  const std::string hint =
      ": expected UTF-8 text, found the byte 0xe9; convert the file with iconv -f latin1 -t utf8";
  dir.write("d.csv", table("\xe9"));
  refused("run " + file + " -o " + dir / "out", "d.csv:1" + hint);  // the header, before any run
  CHECK_FALSE(std::filesystem::exists(dir / "out/results.sqlite"));
  dir.write("d.csv", "who,y,a\nme,1,2\n\xe9tienne,1,2\n");
  refused("run " + file + " -o " + dir / "out", "d.csv:3" + hint);
  refused("validate " + dir.write("t.json", "{\n \"name\": \"caf\xe9\"}"), "t.json:2:14" + hint);
  refused("run " + file + " --set name=caf\xe9", "--set name: expected UTF-8 text, found the byte 0xe9");
  // Converted as the message says, it is read.
  dir.write("latin1.csv", table("\xe9"));
  CHECK(shell("iconv -f latin1 -t utf8 " + dir / "latin1.csv > " + dir / "d.csv").code == 0);
  check("run " + file + " --no-progress -o " + dir / "out", {0});
}

TEST_CASE("hostile text: misspelt options are answered with the nearest name") {
  CHECK_THAT(shell("hearsay run --job 2").err, Catch::Contains("did you mean 'jobs'?"));
  CHECK_THAT(shell("hearsay compare a --metrics x").err, Catch::Contains("did you mean 'metric'?"));
}
