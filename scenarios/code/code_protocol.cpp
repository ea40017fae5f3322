#include "scenarios/code/code_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "models/registry.hpp"
#include "scenarios/language/input_error.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

CodeLoader code_loader = nullptr;
Folders code_folders;  // real_folders()

constexpr models::Entry kPythonEntry{
    .name = "python",
    .help = "A protocol written in Python: a class of a file, with its own options.",
    .open = true};

class CodeProtocol final : public models::AnyProtocol {
 public:
  const models::Entry& entry() const override { return code_ ? code_->entry : kPythonEntry; }

  void describe(sim::Visitor& v) override {
    v(place_.file,
      {.name = "file",
       .help = "File with the class. Executed only below a folder of --allow-code. By default the "
               "class is one of the Python program that runs the study."});
    v(place_.name, {.name = "class", .help = "Name of the class.", .required = true});
    v(place_.digest, {.name = "digest", .help = "Of the class's source that is not in the file."});
    if (!code_) load(v);
    if (!code_) return;
    for (std::size_t k = 0; k < values_.size(); ++k) visit(v, code_->options[k], values_[k]);
  }

  std::unique_ptr<models::AnyProtocol> clone() const override {
    return std::make_unique<CodeProtocol>(*this);
  }
  std::optional<std::uint64_t> planned_iterations(const models::Study&) const override {
    return std::nullopt;
  }
  void require(const models::Setting&) const override {}
  void check(const models::Study& study) const override { code().check(values_, study); }
  sim::End run(models::World& world, models::Observer& observer) const override {
    return code().run(values_, world, observer);
  }
  std::vector<std::string> notes(const models::Study&) const override { return {}; }
  std::vector<std::pair<std::string, double>> numbers(const models::Study&) const override { return {}; }
  // Of every class: it may ask how long a round trip takes.
  bool has_timeout() const override { return true; }
  void check_timeout(const models::Setting&) const override {}
  std::optional<std::string> warning(const models::World&) const override { return std::nullopt; }
  std::span<const models::ProtocolMetric> metrics() const override { return {}; }

 private:
  const Code& code() const {
    sim::check(code_ != nullptr, "a class was used before it was loaded");
    return *code_;
  }

  void load(sim::Visitor& v) {
    const bool in_file = !place_.file.path.empty();
    if (place_.name.empty() || (in_file && place_.file.resolved.empty())) return;  // not read, or refused
    const std::string_view key = in_file ? "file" : "class";
    if (in_file && !lies_under(place_.file.resolved, code_folders))
      return v.check(false, key,
                     "expected a file that may be executed, in or below a folder of --allow-code");
    try {
      code_ = code_loader(place_);
    } catch (const std::exception& error) {
      return v.check(false, key, error.what());
    }
    place_.digest = code_->digest;
    for (const CodeOption& option : code_->options) values_.push_back(option.standard);
  }

  static void visit(sim::Visitor& v, const CodeOption& option, CodeValue& value) {
    const sim::About about{.name = option.name,
                           .help = option.help,
                           .unit = option.unit,
                           .min = option.min,
                           .max = option.max,
                           .open_min = option.open_min,
                           .open_max = option.open_max,
                           .required = option.required};
    if (option.choices.empty()) return std::visit([&](auto& held) { v(held, about); }, value);
    std::vector<sim::Choice> all;
    for (const std::string& name : option.choices) all.push_back({name});
    auto& text = std::get<std::string>(value);
    auto index = static_cast<std::size_t>(std::ranges::find(option.choices, text) - option.choices.begin());
    v.one_of(index, all, about);
    text = option.choices[index];
  }

  CodePlace place_;
  std::shared_ptr<const Code> code_;
  std::vector<CodeValue> values_;  // of its options
};

}  // namespace

void add_python_protocol(CodeLoader loader) {
  code_loader = loader;
  models::protocols().push_back(
      {kPythonEntry, [] { return std::unique_ptr<models::AnyProtocol>(std::make_unique<CodeProtocol>()); }});
}

void allow_code(const Folders& folders) {
  code_folders = real_folders(folders);
}

}  // namespace hearsay::scenarios
