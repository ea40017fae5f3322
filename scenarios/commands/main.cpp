#include "scenarios/commands/command_line.hpp"

int main(int argc, char** argv) {
  hearsay::scenarios::allow_python();
  return hearsay::scenarios::command_line(argc, argv);
}
