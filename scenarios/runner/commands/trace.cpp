// hearsay trace: the events of one run, as CSV.
#include <fmt/format.h>

#include <cstdio>

#include "analysis/output_file.hpp"
#include "analysis/trace_csv.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/runner/command_line.hpp"
#include "scenarios/runner/commands/command.hpp"
#include "scenarios/runner/execute.hpp"

namespace hearsay::scenarios {

namespace po = boost::program_options;

namespace {

constexpr std::string_view kUsage =
    "trace SCENARIO|DIR [--point N] [--repetition R] [--kinds K,...] [--agent I] [--from T] [--to T] [-o "
    "FILE]";

class Filtered final : public sim::TraceSink {
 public:
  analysis::TraceOptions options{};
  std::optional<sim::AgentId> agent{};
  std::optional<analysis::OutputFile> file{};  // else standard output

  void record(const sim::TraceRecord& r) override {
    const std::uint64_t sequence = sequence_++;
    if (!options.wants(r) || (agent && r.agent != *agent && r.peer != *agent)) return;
    write(analysis::trace_row(sequence, r));
  }
  void write(std::string_view text) {
    if (file) {
      file->write(text);
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw analysis::OutputError("standard output: writing failed");
    }
  }

  void finish() {
    if (file) return file->commit();
    if (std::fflush(stdout) != 0) throw analysis::OutputError("standard output: writing failed");
  }

 private:
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

std::vector<sim::TraceKind> kinds_of(const std::string& text) {
  std::vector<std::string> names;
  for (const sim::Choice& c : sim::Choices<sim::TraceKind>::kValues) names.emplace_back(c.name);
  std::vector<sim::TraceKind> kinds;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end()) {
      throw UsageError(
          fmt::format("--kinds: there is no event '{}'{}", printable(part), did_you_mean(part, names)));
    }
    kinds.push_back(static_cast<sim::TraceKind>(found - names.begin()));
  }
  return kinds;
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
      ("output,o", text("FILE"), "a file instead of standard output");
  own.add(input_options());
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, own, values)) return kExitDone;
  const InputArguments input = input_arguments(values);
  if (input.files.size() != 1)
    throw UsageError(fmt::format("one scenario or folder is needed; usage: hearsay {}", kUsage));
  Filtered sink;
  if (values.count("kinds") != 0) sink.options.kinds = kinds_of(values["kinds"].as<std::string>());
  sink.options.from = duration(values, "from", 0);
  sink.options.to = duration(values, "to", sim::kNever);
  if (values.count("agent") != 0) sink.agent = values["agent"].as<sim::AgentId>();

  const Plan plan = plan_of(input.files.front(), input);
  const std::size_t point = values["point"].as<std::size_t>();
  if (point >= plan.points.size())
    throw UsageError(
        fmt::format("--point must be below {}, the number of points, got {}", plan.points.size(), point));
  if (values.count("output") != 0) sink.file.emplace(values["output"].as<std::string>());
  sink.write(analysis::kTraceHeader);
  try {
    Replay(plan).run(point, values["repetition"].as<std::uint32_t>(), &sink);
  } catch (const AssemblyError& e) {
    throw InputError(plan.locate(e));
  }
  sink.finish();
  return kExitDone;
}

}  // namespace hearsay::scenarios
