#include "scenarios/commands/command_line.hpp"

int main(int argc, char** argv) {
  return hearsay::scenarios::command_line(argc, argv);
}
