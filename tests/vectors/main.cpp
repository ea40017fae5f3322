// hearsay_vectors FILE [--section NAME]: runs hearsay on the worked examples of a file and compares every
// number. One line per number that differs, then a count; exit code 0 if all agree, 1 if not, 2 if the file
// can not be used.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <exception>
#include <fstream>

#include "tests/vectors/numbers.hpp"

int main(int argc, char** argv) {
  using namespace hearsay::vectors;
  constexpr std::array kSections{Section{"central", compare_central},
                                 Section{"sync", compare_sync},
                                 Section{"psi_recursion", compare_psi_recursion},
                                 Section{"p2p", compare_p2p},
                                 Section{"admm", compare_admm, "p2p"},
                                 Section{"warm_start", compare_warm_start, "p2p"},
                                 Section{"budget", compare_budget},
                                 Section{"mtl", compare_mtl}};
  const bool one = argc == 4 && std::strcmp(argv[2], "--section") == 0;
  if (argc != 2 && !one) {
    fmt::print(stderr, "usage: hearsay_vectors FILE [--section NAME]\n");
    return 2;
  }
  try {
    std::ifstream in(argv[1]);
    if (!in) throw std::runtime_error("can not be opened");
    const auto file = nlohmann::json::parse(in);
    Comparison comparison;
    std::size_t sections = 0;
    for (const Section& section : kSections) {
      if ((one && section.name != argv[3]) || !file.contains(section.name)) continue;
      ++sections;
      nlohmann::json part = file.at(std::string(section.name));
      if (!section.with.empty()) part[std::string(section.with)] = file.at(std::string(section.with));
      section.compare(part, comparison);
    }
    if (sections == 0)
      throw std::runtime_error(one ? fmt::format("no section {} that is known here", argv[3])
                                   : "no known section");
    fmt::print("{} numbers in {} sections: {} agree, {} differ\n", comparison.compared(), sections,
               comparison.compared() - comparison.failed(), comparison.failed());
    return comparison.failed() == 0 && comparison.compared() > 0 ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", argv[1], e.what());
    return 2;
  }
}
