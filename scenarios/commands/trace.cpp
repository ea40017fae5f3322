// hearsay trace: the events of one run, as text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <tuple>

#include "analysis/store/output_file.hpp"
#include "analysis/trace/trace_text.hpp"
#include "scenarios/commands/command.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// The text of a trace, to a file or standard output.
class Printed final : public sim::TraceSink {
 public:
  Printed(const analysis::TraceOptions& options, const Parsed& values, std::vector<std::string> names)
      : options_(options), text_(analysis::trace_text(options.format.front(), options, std::move(names))) {
    if (values.has("output")) file_.emplace(values.file("output"), analysis::Existing::kFollowed);
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
  void write(std::string_view text) { file_ ? file_->write(text) : print_rows(text); }
  analysis::TraceOptions options_;
  std::unique_ptr<analysis::TraceText> text_;
  std::optional<analysis::OutputFile> file_{};
  std::string buffer_;
  std::uint64_t sequence_ = 0;
};

analysis::TraceOptions options_of(const Parsed& values) {
  analysis::TraceOptions options;
  options.format = {values.choice("format", analysis::TraceFormat{})};
  const Names kinds = names_of(sim::kChoices<sim::TraceKind>);
  std::stringstream parts(values.text("kinds"));
  for (std::string part; std::getline(parts, part, ',');)
    options.kinds.push_back(static_cast<sim::TraceKind>(Parsed::index_of("kinds", part, kinds)));
  std::tie(options.from, options.to) = values.window();
  if (options.format.front() != analysis::TraceFormat::kCsv) values.only("with --format csv", {"payload"});
  options.payload = values.has("payload");
  values.file("output");
  return options;
}

Plan plan_of(const std::string& place, const InputArguments& input) {
  std::error_code error;
  if (!std::filesystem::is_directory(place, error)) return make_plan(place, input.sets, input.folders);
  if (!input.sets.empty())
    throw UsageError(fmt::format("--set: a run of the folder {} has its options; trace a scenario", place));
  analysis::StoredStudy study = open_results(place);
  return make_plan_again(study, input.folders);
}

}  // namespace

int trace_command(const Arguments& arguments) {
  const Options own{{"point", "N", "number of the point (see show --runs)", "0"},
                    {"repetition", "R", "repetition, from 0", "0"},
                    {"kinds", "K,...", "only these events: tick,send,deliver,lose,...", nullptr, false,
                     choice_names<sim::TraceKind>},
                    {"agent", "AGENT", "only events of this agent, by its number or name"},
                    {"from", "T", "only events from this time on, e.g. '20 s'"},
                    {"to", "T", "only events up to this time"},
                    {"format", "FORMAT", "csv, or perfetto: JSON for the Perfetto viewer", "csv", false,
                     choice_names<analysis::TraceFormat>},
                    {"payload", nullptr, "csv: add the numbers of each message and of each release"},
                    {"output,o", "FILE", "write to a file instead of standard output"}};
  const auto parsed = parse_arguments(
      arguments,
      {"trace SCENARIO|DIR [--point N] [--repetition R] [--kinds K,...] [--agent AGENT] [--from T] [--to T] "
       "[--format csv|perfetto] [--payload] [-o FILE]",
       with_input_options(own), "one scenario or folder", 1, 1});
  if (!parsed) return kExitDone;
  const Parsed& values = *parsed;
  const InputArguments input = input_arguments(values);
  analysis::TraceOptions options = options_of(values);
  const Plan plan = plan_of(input.files.front(), input);
  const std::size_t point = values.whole("point", 0, plan.points.size() - 1);
  const auto number =
      static_cast<std::uint32_t>(values.whole("repetition", 0, plan.points[point].repeat - 1));
  try {
    Execution execution(plan);
    std::vector<std::string> names = execution.agent_names(point, number);
    if (values.has("agent"))
      options.agent =
          Parsed::agent("agent", values.text("agent"), names, execution.node_names(point, number));
    Printed sink(options, values, std::move(names));
    execution.repeat(point, number, &sink);
    sink.finish();
  } catch (const sim::Error& e) {
    throw plan.located(e);
  }
  return kExitDone;
}

}  // namespace hearsay::scenarios
