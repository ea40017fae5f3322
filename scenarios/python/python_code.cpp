#include "scenarios/python/python_code.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "scenarios/python/run.hpp"

namespace hearsay::scenarios {

namespace {

py::object helper(const char* name) {
  return py::module_::import("hearsay.protocol").attr(name);
}

// One line of what went wrong in Python.
std::string line_of(py::error_already_set& error) {
  error.restore();
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const auto held = py::reinterpret_steal<py::object>(value), of = py::reinterpret_steal<py::object>(type),
             where = py::reinterpret_steal<py::object>(trace);
  if (where) PyException_SetTraceback(held.ptr(), where.ptr());
  return helper("line_of")(held).cast<std::string>();
}

// The handlers of one object, as the driver calls them. Holds the interpreter's lock all the time.
class Handlers {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr models::Entry kEntry{.name = "python", .help = ""};
  Handlers(const Params&, const models::Study&) { sim::check(false, "made without its class"); }

  Handlers(const py::object& object, const Code& code, bool counts, models::World& world)
      : code_(&code), counts_(counts), world_(&world) {
    constexpr std::array kNames{"on_start", "on_tick", "on_message", "on_timer",  "on_up",
                                "on_down",  "reset",   "finished",   "timer_name"};
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      names_[k] = kNames[k];
      if (py::hasattr(object, kNames[k])) hooks_[k] = object.attr(kNames[k]);
    }
  }
  ~Handlers() {
    if (run_) run_->end();
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  void on_start(models::Context& context) {
    run_ = std::make_shared<Run>(context, *world_, code_->entry);
    run_object_ = py::cast(run_);
    call(kStart, {});
  }
  void on_tick(sim::AgentId i, models::Context& context) {
    call(kTick, i, number(i).ptr());
    if (!counts_) context.count_iteration();
  }
  void on_message(const sim::Message& message, models::Context&) {
    if (hooks_[kMessage]) call(kMessage, message.to, run_->arrived(message).ptr());
  }
  void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t value, models::Context&) {
    call(kTimer, i, number(i).ptr(), number(tag).ptr(), number(value).ptr());
  }
  void on_up(sim::AgentId i, models::Context&) { call(kUp, i, number(i).ptr()); }
  void on_down(sim::AgentId i, models::Context&) { call(kDown, i, number(i).ptr()); }
  void reset(sim::AgentId i, models::Context&) { call(kReset, i, number(i).ptr()); }
  bool finished(const models::Context&) { return hooks_[kFinished] && truth(call(kFinished, {})); }
  std::string_view timer_name(sim::AgentId i, std::uint16_t tag, std::uint32_t value) const {
    if (!hooks_[kTimerName]) return {};
    timer_ = hooks_[kTimerName](i, tag, value).cast<std::string>();
    return timer_;
  }

 private:
  enum Hook : std::size_t {
    kStart,
    kTick,
    kMessage,
    kTimer,
    kUp,
    kDown,
    kReset,
    kFinished,
    kTimerName,
    kHooks
  };

  static py::int_ number(std::uint32_t value) { return py::int_(value); }
  static bool truth(const py::object& value) {
    const int is = PyObject_IsTrue(value.ptr());
    if (is < 0) throw py::error_already_set();
    return is == 1;
  }

  // Calls a handler with these arguments and the run.
  template <class... Arguments>
  py::object call(Hook hook, std::optional<sim::AgentId> agent, Arguments... arguments) {
    if (!hooks_[hook]) return {};
    std::array<PyObject*, sizeof...(Arguments) + 2> all{nullptr, arguments..., run_object_.ptr()};
    constexpr std::size_t kCount = sizeof...(Arguments) + 1;
    auto result = py::reinterpret_steal<py::object>(PyObject_Vectorcall(
        hooks_[hook].ptr(), all.data() + 1, kCount | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    try {
      if (!result) throw py::error_already_set();
      run_->end_handler();
    } catch (py::error_already_set& error) {
      fail(hook, agent, line_of(error));
    } catch (const py::builtin_exception& error) {
      fail(hook, agent, error.what());
    }
    return result;
  }
  [[noreturn]] void fail(Hook hook, std::optional<sim::AgentId> agent, const std::string& what) const {
    throw std::runtime_error(fmt::format("{}: {} in {}{} at {:g} s", code_->name, what, names_[hook],
                                         agent ? fmt::format(" of agent {}", *agent) : "",
                                         world_->engine.now()));
  }

  const Code* code_ = nullptr;
  bool counts_ = false;
  models::World* world_ = nullptr;
  std::array<py::object, kHooks> hooks_;
  std::array<const char*, kHooks> names_{};
  std::shared_ptr<Run> run_;
  py::object run_object_;
  mutable std::string timer_;
};

class PythonCode final : public Code {
 public:
  explicit PythonCode(py::object type) : type_(std::move(type)) {
    const py::dict about = helper("describe")(type_);
    const auto text = [&](const char* key) { return about[key].cast<std::string>(); };
    const auto flag = [&](const char* key) { return about[key].cast<bool>(); };
    name = text("name");
    help = text("help");
    step = text("step_name");
    counts_ = flag("counts_iterations");
    entry = {.name = "python",
             .help = help,
             .hub = flag("hub"),
             .vectors = about["vectors"].cast<std::uint32_t>(),
             .broadcasts = flag("broadcasts"),
             .joint = flag("joint"),
             .any_model = flag("any_model"),
             .aggregates = flag("aggregates"),
             .own_models = flag("own_models"),
             .open = true,
             .step = step};
    for (const py::handle one : about["options"]) options.push_back(option(one));
  }
  ~PythonCode() override {
    const py::gil_scoped_acquire lock;
    type_ = {};
  }

  void check(const std::vector<CodeValue>& values, const models::Study&) const override {
    const py::gil_scoped_acquire lock;
    object(values);
  }
  sim::End run(const std::vector<CodeValue>& values, models::World& world,
               models::Observer& observer) const override {
    const py::gil_scoped_acquire lock;
    const py::object made = object(values);
    Handlers handlers(made, *this, counts_, world);
    return models::Driver<Handlers>(handlers, world, observer).run();
  }

 private:
  py::object object(const std::vector<CodeValue>& values) const {
    py::list all;
    for (const CodeValue& value : values)
      all.append(std::visit([](const auto& held) -> py::object { return py::cast(held); }, value));
    try {
      return helper("make")(type_, all);
    } catch (py::error_already_set& error) {
      throw std::invalid_argument(fmt::format("{}: {}", name, line_of(error)));
    }
  }
  static CodeOption option(py::handle one) {
    CodeOption option{.name = one.attr("name").cast<std::string>(),
                      .help = one.attr("help").cast<std::string>(),
                      .unit = one.attr("unit").cast<std::string>()};
    const py::object standard = one.attr("default");
    if (py::isinstance<py::bool_>(standard)) {
      option.standard = standard.cast<bool>();
    } else if (py::isinstance<py::int_>(standard)) {
      option.standard = standard.cast<std::int64_t>();
    } else if (py::isinstance<py::float_>(standard)) {
      option.standard = standard.cast<double>();
    } else {
      option.standard = standard.cast<std::string>();
    }
    if (const py::object min = one.attr("min"); !min.is_none()) option.min = min.cast<double>();
    if (const py::object max = one.attr("max"); !max.is_none()) option.max = max.cast<double>();
    option.open_min = one.attr("open_min").cast<bool>();
    option.open_max = one.attr("open_max").cast<bool>();
    for (const py::handle choice : one.attr("choices")) option.choices.push_back(choice.cast<std::string>());
    return option;
  }

  py::object type_;
  bool counts_ = false;
};

}  // namespace

std::shared_ptr<const Code> load_python(const CodePlace& place) {
  const py::gil_scoped_acquire lock;
  try {
    const py::tuple found = helper("load")(place.file.resolved, place.name, place.digest);
    auto code = std::make_shared<PythonCode>(found[0]);
    code->digest = found[1].cast<std::string>();
    return code;
  } catch (py::error_already_set& error) {
    throw std::runtime_error(line_of(error));
  }
}

}  // namespace hearsay::scenarios
