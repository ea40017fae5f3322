// hearsay with three more protocols.
#include "gossip_average.hpp"
#include "local_steps.hpp"
#include "models/core/registry.hpp"
#include "push_sum.hpp"
#include "scenarios/commands/command_line.hpp"

int main(int argc, char** argv) {
  for (const auto& row : {gossip::gossip_average_row(), gossip::push_sum_row(), gossip::local_steps_row()})
    hearsay::models::protocols().push_back(row);
  return hearsay::scenarios::command_line(argc, argv);
}
