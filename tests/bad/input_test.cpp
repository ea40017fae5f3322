// Invalid input to the program: one line, exit code 2 (3 for a limit), within 0.2 s and 64 MB.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

struct Refusal {
  int code;
  std::string line;
  double seconds, megabytes;
};

// Runs the program in a child process and measures the time and memory of this process alone.
Refusal refuse(const Scratch& dir, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "hearsay");
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  const std::string err = dir / "err";
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::chdir(dir.path().c_str());
    ::execv(HEARSAY_BINARY_DIR "/hearsay", argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  const auto cpu = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, test::text_of(err),
          cpu(usage.ru_utime) + cpu(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1000};
}

void check_refused(const Scratch& dir, const std::vector<std::string>& arguments, const std::string& part,
                   int code = 2) {
  const Refusal r = refuse(dir, arguments);
  INFO(r.line);
  CHECK(r.code == code);
  CHECK_THAT(r.line, Catch::Contains(part));
  CHECK(std::count(r.line.begin(), r.line.end(), '\n') == 1);
#ifndef HEARSAY_SANITIZED
  CHECK(r.seconds < 0.2);
  CHECK(r.megabytes < 64);
#endif
  CHECK_FALSE(std::filesystem::exists(dir / "out"));
}

void check_text(const std::string& text, const std::string& part) {
  const Scratch dir;
  dir.write("x.json", text);
  check_refused(dir, {"run", "x.json"}, part);
}

}  // namespace

TEST_CASE("bad input: texts that are not a scenario") {
  check_text("", "expected JSON text, found nothing");
  check_text(R"({"seed": 1 "repeat": 2})", "expected ',' or '}', found ");
  check_text(R"({"sweep": {"seed": [1 2]}})", "expected ',' or ']', found ");
  check_text(R"({"protocl": {"type": "central_async"}, "stop": {"iterations": 5}})",
             "did you mean 'protocol'?");
  check_text("[]", "expected an object, found a list of 0");
  check_text("null", "expected an object, found null");
  check_text(R"({"seed": 1)", "x.json:1:11: the file ends before the closing brace");
  check_text(R"({"seed": 1, "seed": 2})", "duplicate key");
  check_text(std::string(200'000, '['), "expected at most 64 levels of nesting");
  check_text(R"({"seed": 1e400})", "expected a number of at most 1.8e308");
  check_text(small_scenario(R"("seed": 9223372036854775808)"),
             "/seed: expected a whole number of at most 2^53");
  check_text(small_scenario(R"("seed": 9007199254740993)"), "/seed: expected a whole number of at most 2^53");
  check_text("{\"name\": \"\xff\"}", "UTF-8");
  check_text("\xef\xbb\xbf{}", "without a byte order mark");
  check_text(std::string("{\"name\": \"a\0b\"}", 15), "NUL");
  check_text(R"({"seed": 1} x)", "x.json:1:13: ");
  check_text(R"({"extends": "x.json"})", "a scenario must not extend itself");
  check_text(small_scenario(R"("protocl": {})"), "did you mean 'protocol'?");
  check_text("{\"name\": \"" + std::string(2u << 20, 'x') + "\"}", "expected at most 1048576 bytes");
}

TEST_CASE("bad input: missing files and other kinds of files") {
  const Scratch dir;
  check_refused(dir, {"run", "nowhere.json"}, "nowhere.json: file not found in " + dir.path().string());
  check_refused(dir, {"run", "."}, "found a directory");
  check_refused(dir, {"run", "/dev/zero"}, "found a device");
  check_refused(dir, {"run"}, "expected one scenario, found 0");
  check_refused(dir, {"rum"}, "did you mean 'run'?");
  dir.write("x.json", small_scenario());
  check_refused(dir, {"run", "x.json", "--set", "privacy.epsilon=-1"},
                "--set privacy.epsilon: /privacy/epsilon: expected a value above 0, found -1");
  check_refused(dir, {"run", "x.json", "-j", "0"}, "--jobs: expected a whole number from 1 to 1024");
}

TEST_CASE("bad input: unusable data") {
  const auto data = [](const std::string& path, const std::string& more = "") {
    return R"({"data": {"type": "csv", "path": ")" + path + R"(", "target": "y", "owner": {"blocks": 2})" +
           more +
           R"(}, "privacy": {"mechanism": "none"}, "protocol": {"type": "central_async", "rho": 1},
               "stop": {"iterations": 5}})";
  };
  const auto check = [&](const std::string& csv, const std::string& part, const std::string& more = "",
                         const std::string& model = "") {
    const Scratch dir;
    dir.write("x.csv", csv);
    std::string scenario = data("x.csv", more);
    if (!model.empty()) scenario.insert(1, model + ", ");
    dir.write("x.json", scenario);
    check_refused(dir, {"run", "x.json"}, part);
  };
  check("", "x.csv");
  check("x,y\n1,2\n3\n", "x.csv");
  check("x,z\n1,2\n3,4\n", "y");
  check("x,y\n1,a\n3,4\n", "x.csv");
  check("x,y\n1,1\n3,1\n5,1\n7,1\n", "class", "", R"("model": {"loss": "logistic"})");
  for (const char* path : {"/etc/passwd", "../x.csv", "/dev/zero", "link"}) {
    INFO(path);
    const Scratch dir;
    std::filesystem::create_symlink("/etc/passwd", dir / "link");
    dir.write("x.json", data(path));
    check_refused(dir, {"run", "x.json"}, "/data/path: file \"");
  }
  const Scratch dir;
  dir.write("x.json", small_scenario());
  check_refused(dir, {"run", "x.json", "--set", "data.owners=0"},
                "/data/owners: expected a value in [1, 100000000], found 0");
}

TEST_CASE("bad input: studies that are too large are refused with the numbers, exit code 3") {
  const Scratch dir;
  dir.write("x.json", small_scenario(R"("sweep": {"seed": {"from": 1, "to": 1e30, "step": 1}})"));
  check_refused(dir, {"run", "x.json"},
                "the sweep has 1e+30 points, more than 100000; raise --max-runs to allow them", 3);
  dir.write("y.json", small_scenario(R"("sweep": {"privacy.epsilon": [1, 2]}, "repeat": 600000)"));
  check_refused(dir, {"run", "y.json"},
                "y.json: 2 points with their repetitions are 1200000 runs, more than 1e+06", 3);
  check_refused(dir, {"run", "y.json", "--repeat", "60", "--max-runs", "100"}, "120 runs, more than 100", 3);
  dir.write("z.json", small_scenario());
  check_refused(dir, {"run", "z.json", "--set", "data.records=1e12"}, "of memory, found one that needs about",
                3);
}

TEST_CASE("bad input: missing folders and unknown lists") {
  const Scratch dir;
  dir.write("x.json", small_scenario());
  check_refused(dir, {"run", "x.json", "--data-dir", "nowhere"},
                "--data-dir: expected a folder, found 'nowhere'");
  check_refused(dir, {"run", "x.json", "--allow-path", "x.json"},
                "--allow-path: expected a folder, found 'x.json'");
  check_refused(dir, {"list", "protocol"}, "unknown list 'protocol'; expected one of protocols, topologies");
}
