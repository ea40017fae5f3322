// Runs commands of hearsay, each in a child of this process, which saves the start of a program (with sanitizers most
// of the time of a small run). A line on standard input is one command: folder, file for standard output, file for
// standard error, seconds of processor time (ten times as many by the clock), arguments; separated by the byte 0x1f. The answer is two lines: the child's
// number at once, and its wait status at its end. The command "neighbours FILE [FILE]" is the server's own: it prints
// whether exact reads are listed, and the first difference of the events on two neighbouring data sets, if there is one: those
// of two scenarios, or of one (tests/support/neighbours.hpp).
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "scenarios/commands/command_line.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/support/neighbours.hpp"

namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t to = std::min(line.find('\x1f', from), line.size());
    fields.push_back(line.substr(from, to - from));
    from = to + 1;
  }
  return fields;
}

void redirect(int stream, const char* file, int flags) {
  const int opened = open(file, flags, 0666);
  if (opened < 0 || dup2(opened, stream) < 0) _exit(99);
  close(opened);
}

int neighbours(const std::vector<std::string>& files) {
  try {
    std::vector<hearsay::scenarios::Plan> plans;
    for (const std::string& file : files) plans.push_back(hearsay::scenarios::make_plan(file, {}, {}));
    const auto scenario = [](const auto& plan) { return plan.points.front().scenario.get(); };
    const hearsay::test::NeighbourRuns runs = hearsay::test::compare_neighbours(
        *scenario(plans.front()), plans.size() > 1 ? scenario(plans.back()) : nullptr);
    std::cout << (!runs.applies         ? "not private"
                  : runs.listed.empty() ? "nothing listed"
                                        : "listed")
              << '\n'
              << runs.difference << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

[[noreturn]] void run(const std::vector<std::string>& fields) {
  if (chdir(fields[0].c_str()) != 0) _exit(99);
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, fields[1].c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, fields[2].c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  const auto seconds = static_cast<unsigned>(std::stoul(fields[3]));
  const rlimit limit{seconds, seconds + 5};
  setrlimit(RLIMIT_CPU, &limit);
  alarm(10 * seconds);
  if (fields[4] == "neighbours") std::exit(neighbours({fields.begin() + 5, fields.end()}));
  std::vector<const char*> arguments{"hearsay"};
  for (std::size_t i = 4; i < fields.size(); ++i) arguments.push_back(fields[i].c_str());
  std::exit(hearsay::scenarios::command_line(static_cast<int>(arguments.size()), arguments.data()));
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() < 5) return 2;
    const pid_t child = fork();
    if (child < 0) return 3;
    if (child == 0) run(fields);
    std::cout << child << std::endl;
    int status = 0;
    if (waitpid(child, &status, 0) != child) return 4;
    std::cout << status << std::endl;
  }
}
