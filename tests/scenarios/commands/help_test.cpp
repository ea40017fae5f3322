// The manual page and the completion of command lines.
#include <regex>
#include <set>
#include <sstream>

#include "scenarios/language/reference/complete.hpp"
#include "tests/support/process.hpp"
#include "tests/support/toy.hpp"

using namespace hearsay;
using scenarios::Names;
using namespace hearsay::test;

namespace {

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.insert(line);
  return all;
}

// The candidates for the last of these words, as bash splits them.
std::set<std::string> completed(const std::string& words) {
  const auto outcome = shell("hearsay help --complete -- " + words);
  CHECK(outcome.code == 0);
  return lines(outcome.out);
}

// A manual page as people read it, without its requests and escapes.
std::string plain(std::string text) {
  text = std::regex_replace(text, std::regex(R"(\\f[BIR]|\\&|\\:)"), "");
  return std::regex_replace(text, std::regex(R"(\\(-))"), "$1");
}

const scenarios::Outline& toy_outline() {
  static const scenarios::Outline outline = scenarios::outline<toy::Study>();
  return outline;
}

}  // namespace

TEST_CASE("help: the manual page has every command with the usage and options that its --help prints") {
  const std::string page = plain(shell("hearsay help --man").out);
  std::set<std::string> names;
  std::istringstream help(shell("hearsay --help").out);
  for (std::string line; std::getline(help, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("^  hearsay ([a-z]+)"))) names.insert(match[1]);
  }
  CHECK(names.size() > 15);
  for (const std::string& name : names) {
    INFO(name);
    const std::size_t begin = page.find("\n.SS " + name + "\n");
    REQUIRE(begin != page.npos);
    const std::string section = page.substr(begin, page.find("\n.S", begin + 1) - begin);
    const std::string text = shell("hearsay help " + name).out;
    CHECK(text == shell("hearsay " + name + " --help").out);
    CHECK_THAT(section, Catch::Contains(text.substr(7, text.find('\n') - 7)));  // after "usage: "
    std::istringstream each(text.substr(text.find("Options:")));
    for (std::string line; std::getline(each, line);) {
      std::smatch match;
      if (std::regex_search(line, match, std::regex("^  (?:-[a-z] \\[ )?(--[a-z-]+)")) &&
          match[1] != "--help")
        CHECK_THAT(section, Catch::Contains(match[1].str()));
    }
  }
}

TEST_CASE("help: the page of commands and the manual page give the same exit codes") {
  const std::string page = plain(shell("hearsay help --man").out);
  const std::string commands = text_of(HEARSAY_SOURCE_DIR "/docs/commands.md");
  const std::regex row(R"(\n\| (\d+) \| ([^|]+) \|)");
  int rows = 0;
  for (std::sregex_iterator m(commands.begin(), commands.end(), row), end; m != end; ++m, ++rows) {
    const std::string meaning = std::regex_replace((*m)[2].str(), std::regex("`"), "");
    CHECK_THAT(page, Catch::Contains(".B " + (*m)[1].str() + "\n" + meaning + "\n"));
  }
  CHECK(rows == 9);
}

TEST_CASE("help: unknown and superfluous names are refused in one line") {
  const auto unknown = shell("hearsay help rnu");
  CHECK(unknown.code == 2);
  CHECK(unknown.err ==
        "hearsay: unknown command 'rnu'; did you mean 'run'?; for all commands run `hearsay --help`\n");
  CHECK(shell("hearsay help run show").code == 2);
  CHECK(shell("hearsay help --man run show").code == 2);
}

TEST_CASE("completion: commands, options and values from lists") {
  CHECK(completed("re") == std::set<std::string>{"report"});
  CHECK(completed("'' ''").empty());
  CHECK(completed("nothing x").empty());
  CHECK(completed("help va") == std::set<std::string>{"validate"});
  CHECK(completed("list me") == std::set<std::string>{"mechanisms", "metrics"});
  CHECK(completed("trace x.json --pa") == std::set<std::string>{"--payload"});
  CHECK(completed("trace x.json --payload --p") == std::set<std::string>{"--point"});
  // --set may be given again, --jobs may not, whether by its letter or its name.
  CHECK(completed("run x.json --set a=1 --se") == std::set<std::string>{"--seed", "--set"});
  CHECK(completed("run x.json -j 2 --j") == std::set<std::string>{"--json-progress"});
  CHECK(completed("privacy ''").contains("--mechanism"));
  CHECK(completed("privacy --mechanism ''") ==
        std::set<std::string>{"exponential_norm", "gaussian", "laplace"});
  CHECK(completed("export d --format g") == std::set<std::string>{"graphml"});
  CHECK(completed("trace x --kinds tick,deli") == std::set<std::string>{"tick,deliver"});
  CHECK(completed("compare d --metric relative_f") == std::set<std::string>{"relative_fitness"});
  // bash splits at "=", and replaces what follows it.
  CHECK(completed("export d --format = g") == std::set<std::string>{"graphml"});
  CHECK(completed("export d --format =") == std::set<std::string>{"csv", "graphml", "latex", "markdown"});
  CHECK(completed("figures d --width ''") == std::set<std::string>{"column", "page"});
  CHECK(completed("figures d --format ''") == std::set<std::string>{"pdf", "png", "svg"});
  CHECK(completed("figures d --show ''") == std::set<std::string>{"mean", "median"});
  CHECK(completed("figures d --over b") == std::set<std::string>{"bytes"});
  CHECK(completed("bench mm") == std::set<std::string>{":scenarios", "mm1"});
  CHECK(completed("bench p2") == std::set<std::string>{":scenarios", "p2p"});
}

TEST_CASE("completion: files where the usage has them") {
  CHECK(completed("run ''") == std::set<std::string>{":scenarios"});
  CHECK(completed("report ou") == std::set<std::string>{":folders"});
  CHECK(completed("diff a ''") == std::set<std::string>{":folders"});
  CHECK(completed("trace ''") == std::set<std::string>{":folders", ":scenarios"});
  CHECK(completed("run x.json -o ''") == std::set<std::string>{":folders"});
  CHECK(completed("report d --output = x") == std::set<std::string>{":files"});
  CHECK(completed("run x.json --seed ''").empty());
}

TEST_CASE("completion: options of the scenario after --set and explain") {
  CHECK(completed("run x.json --set prot") == std::set<std::string>{"protocol.", "protocol="});
  CHECK(completed("run x.json --set privacy.mech") ==
        std::set<std::string>{"privacy.mechanism.", "privacy.mechanism="});
  CHECK(completed("run x.json --set clocks.type = po") == std::set<std::string>{"poisson"});
  CHECK(completed("explain protocol.central_as") ==
        std::set<std::string>{"protocol.central_async", "protocol.central_async."});
}

TEST_CASE("completion: paths and values of an outline") {
  // The keys of all alternatives of network.topology: points of star, sizes of blocks, word and colour of named.
  CHECK(complete_setting(toy_outline(), "network.topology.") ==
        Names{"network.topology.colour=", "network.topology.points=", "network.topology.sizes.",
              "network.topology.sizes=", "network.topology.type=", "network.topology.word="});
  CHECK(complete_path(toy_outline(), "network.topology.named.") ==
        Names{"network.topology.named.colour", "network.topology.named.word"});
  CHECK(complete_path(toy_outline(), "privacy") == Names{"privacy", "privacy."});
  CHECK(complete_setting(toy_outline(), "sweep.privacy.") == Names{"sweep.privacy.epsilon="});
  const Names colours = complete_setting(toy_outline(), "colour=");
  CHECK(colours == Names{"colour=blue", "colour=green", "colour=red"});
  CHECK(complete_setting(toy_outline(), "sweep.colour=").empty());
  CHECK(complete_setting(toy_outline(), "none.").empty());
  // An element of a list by its number; a switch has two values.
  CHECK(complete_setting(toy_outline(), "owners.3.shares=") ==
        Names{"owners.3.shares=false", "owners.3.shares=true"});
}
