// hearsay with three more protocols.
#include <vector>

#include "gossip_average.hpp"
#include "local_steps.hpp"
#include "models/registry.hpp"
#include "push_sum.hpp"
#include "scenarios/commands/command_line.hpp"

int main(int argc, char** argv) {
  auto& table = hearsay::models::protocols();
  for (const auto& row : {gossip::gossip_average_row(), gossip::push_sum_row(), gossip::local_steps_row()}) {
    // In place of hearsay's own protocol of that name, if there is one.
    std::erase_if(table, [&](const auto& own) { return own.entry.name == row.entry.name; });
    table.push_back(row);
  }
  return hearsay::scenarios::command_line(argc, argv);
}
