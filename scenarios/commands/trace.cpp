// hearsay trace: the events of one run, as text.
#include <fmt/format.h>

#include <cstdio>

#include "analysis/results/output_file.hpp"
#include "analysis/trace/trace_text.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/commands/command_line.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/runner/execute.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kUsage =
    "trace SCENARIO|DIR [--point N] [--repetition R] [--kinds K,...] [--agent I] [--from T] [--to T] "
    "[--format csv|perfetto] [-o FILE]";

// The text of a trace, to a file or standard output.
class Printed final : public sim::TraceSink {
 public:
  Printed(const analysis::TraceOptions& options, const po::variables_map& values)
      : options_(options), text_(analysis::trace_text(options.format.front(), options)) {
    if (values.count("output") != 0) file_.emplace(values["output"].as<std::string>());
    write(text_->head());
  }
  void record(const sim::TraceRecord& r) override {
    buffer_.clear();
    text_->add(sequence_++, r, options_.wants(r), buffer_);
    write(buffer_);
  }
  void finish() {
    buffer_.clear();
    text_->end(buffer_);
    write(buffer_);
    if (file_) return file_->commit();
    if (std::fflush(stdout) != 0) throw analysis::OutputError("standard output: writing failed");
  }

 private:
  void write(std::string_view text) {
    if (file_) {
      file_->write(text);
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw analysis::OutputError("standard output: writing failed");
    }
  }
  analysis::TraceOptions options_;
  std::unique_ptr<analysis::TraceText> text_;
  std::optional<analysis::OutputFile> file_{};
  std::string buffer_;
  std::uint64_t sequence_ = 0;
};

sim::Time duration(const po::variables_map& values, const char* name, sim::Time standard) {
  if (values.count(name) == 0) return standard;
  const std::string text = values[name].as<std::string>();
  auto time = parse_quantity(text, "s");
  if (!time) time = parse_quantity(text + " s", "s");
  if (!time)
    throw UsageError(fmt::format("--{} must be {}, got '{}'", name, expected_quantity("s"), printable(text)));
  return *time;
}

// The enumerator of a name that `option` gives.
template <class E>
E named(const char* option, const char* what, const std::string& text) {
  std::vector<std::string> names;
  for (const sim::Choice& c : sim::Choices<E>::kValues) names.emplace_back(c.name);
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) {
    throw UsageError(
        fmt::format("--{}: there is no {} '{}'{}", option, what, printable(text), did_you_mean(text, names)));
  }
  return static_cast<E>(found - names.begin());
}

analysis::TraceOptions options_of(const po::variables_map& values) {
  analysis::TraceOptions options;
  options.format = {named<analysis::TraceFormat>("format", "format", values["format"].as<std::string>())};
  if (values.count("kinds") != 0) {
    std::stringstream parts(values["kinds"].as<std::string>());
    for (std::string part; std::getline(parts, part, ',');)
      options.kinds.push_back(named<sim::TraceKind>("kinds", "event", part));
  }
  options.from = duration(values, "from", 0);
  options.to = duration(values, "to", sim::kNever);
  if (values.count("agent") != 0) options.agent = values["agent"].as<sim::AgentId>();
  return options;
}

Plan plan_of(const std::string& place, const InputArguments& input) {
  std::error_code error;
  if (!std::filesystem::is_directory(place, error)) return make_plan(place, input.sets, input.read);
  analysis::StoredStudy study(place);
  return make_plan_again(study);
}

}  // namespace

int trace_command(const Arguments& arguments) {
  po::options_description own("Trace");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  own.add_options()  //
      ("point", po::value<std::size_t>()->value_name("N")->default_value(0),
       "as 'show --runs' numbers them")                                                        //
      ("repetition", po::value<std::uint32_t>()->value_name("R")->default_value(0), "from 0")  //
      ("kinds", text("K,..."), "only these events: tick,send,deliver,lose,...")                //
      ("agent", po::value<sim::AgentId>()->value_name("I"), "only events of this agent")       //
      ("from", text("T"), "nothing before, as in '20 s'")                                      //
      ("to", text("T"), "nothing after")                                                       //
      ("format", text("FORMAT")->default_value("csv"),
       "csv, or perfetto: JSON that the Perfetto viewer opens")  //
      ("output,o", text("FILE"), "a file instead of standard output");
  own.add(input_options());
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one scenario or folder is needed; usage: hearsay {}", kUsage));
  const analysis::TraceOptions options = options_of(values);
  const Plan plan = plan_of(input.files.front(), input);
  const std::size_t point = values["point"].as<std::size_t>();
  if (point >= plan.points.size())
    throw UsageError(
        fmt::format("--point must be below {}, the number of points, got {}", plan.points.size(), point));
  Printed sink(options, values);
  try {
    Replay(plan).run(point, values["repetition"].as<std::uint32_t>(), &sink);
  } catch (const AssemblyError& e) {
    throw InputError(plan.locate(e));
  }
  sink.finish();
  return kExitDone;
}

}  // namespace hearsay::scenarios
