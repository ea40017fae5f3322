#include "models/registry.hpp"

#include "models/protocols/central_async.hpp"

namespace hearsay::models {

std::vector<ProtocolRow>& protocols() {
  static std::vector<ProtocolRow> table{central_async_row()};
  return table;
}

ProtocolChoice::ProtocolChoice() : held_(protocols().front().make()) {}

void ProtocolChoice::describe_as(sim::Visitor& v, const sim::About& about) {
  const std::vector<ProtocolRow>& table = protocols();
  std::vector<sim::Alternative> all;
  std::size_t index = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].entry.name == held_->entry().name) index = i;
    all.push_back(
        {.name = table[i].entry.name,
         .help = table[i].entry.help,
         .describe_default = [make = table[i].make](sim::Visitor& inner) { make()->describe(inner); }});
  }
  v.alternatives(
      about, all, index, [this, &table](std::size_t i) { held_ = table[i].make(); },
      [this](sim::Visitor& inner) { held_->describe(inner); });
}

}  // namespace hearsay::models
