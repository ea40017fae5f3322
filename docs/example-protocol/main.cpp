// hearsay with one protocol more.
#include "gossip_average.hpp"
#include "models/core/registry.hpp"
#include "scenarios/commands/command_line.hpp"

int main(int argc, char** argv) {
  hearsay::models::protocols().push_back(gossip::gossip_average_row());
  return hearsay::scenarios::command_line(argc, argv);
}
