#include "sim/options/code.hpp"

#include <algorithm>
#include <stdexcept>

namespace hearsay::sim {

namespace {

void visit(Visitor& v, const CodeOption& option, CodeValue& value) {
  const About about{.name = option.name,
                    .help = option.help,
                    .unit = option.unit,
                    .min = option.min,
                    .max = option.max,
                    .open_min = option.open_min,
                    .open_max = option.open_max};
  if (option.choices.empty()) return std::visit([&](auto& held) { v(held, about); }, value);
  std::vector<Choice> all;
  for (const std::string& name : option.choices) all.push_back({name});
  auto& text = std::get<std::string>(value);
  auto index = static_cast<std::size_t>(std::ranges::find(option.choices, text) - option.choices.begin());
  v.one_of(index, all, about);
  text = option.choices[index];
}

}  // namespace

std::shared_ptr<const Code> Visitor::load(const CodePlace&, CodeKind) const {
  return nullptr;
}

void InputCode::describe(Visitor& v) {
  const bool in_program = loaded() && place_.file.path.empty();  // then there is no file to write
  if (!in_program)
    v(place_.file,
      {.name = "file",
       .help = "File with the class. Executed only below a folder of --allow-code. By default the "
               "class is one of the Python program that runs the study."});
  v(place_.name, {.name = "class", .help = "Name of the class.", .required = true});
  v(place_.digest, {.name = "digest", .help = "Of the class's source that is not in the file."});
  const bool in_file = !place_.file.path.empty();
  // Otherwise not read, or refused.
  if (!code_ && !place_.name.empty() && (!in_file || !place_.file.resolved.empty())) {
    try {
      code_ = v.load(place_, kind_);
    } catch (const std::exception& error) {
      v.check(false, in_file ? "file" : "class", error.what());
    }
    if (!code_) return;
    place_.digest = code_->digest;
    for (const CodeOption& option : code_->options) values_.push_back(option.standard);
  }
  for (std::size_t k = 0; k < values_.size(); ++k) visit(v, code_->options[k], values_[k]);
}

}  // namespace hearsay::sim
