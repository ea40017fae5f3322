#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <span>
#include <type_traits>

#include "scenarios/python/metrics.hpp"
#include "scenarios/python/python_code.hpp"
#include "scenarios/python/run.hpp"

namespace hearsay::scenarios {

namespace {

// The handlers of one object, as the driver calls them. Holds the interpreter's lock all the time.
class Handlers {
 public:
  struct Params {
    void describe(sim::Visitor&) {}
  };
  static constexpr models::Entry kEntry{.name = "python", .help = ""};
  Handlers(const Params&, const models::Study&) { sim::check(false, "made without its class"); }

  Handlers(const py::object& object, const models::ProtocolCode& code, bool counts, models::World& world)
      : kMetrics(code.metrics), code_(&code), counts_(counts), world_(&world), object_(object) {
    constexpr std::array kNames{"on_start", "on_tick", "on_message", "on_timer",  "on_up",
                                "on_down",  "reset",   "finished",   "timer_name"};
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      names_[k] = kNames[k];
      if (py::hasattr(object, kNames[k])) hooks_[k] = object.attr(kNames[k]);
    }
  }
  ~Handlers() {
    if (!run_) return;
    try {
      run_->end_handler();             // of one that has thrown: lets the numbers live that it has kept
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the run has failed before
    }
    run_->end();
  }
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  void on_start(models::Context& context) {
    run_ = std::make_shared<Run>(context, *world_, code_->entry, static_cast<bool>(hooks_[kTimer]));
    run_object_ = py::cast(run_);
    call(kStart, {});
    run_->end_start();
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
  bool finished(const models::Context&) {
    if (!hooks_[kFinished]) return false;
    const py::object answer = call(kFinished, {});
    return guarded(names_[kFinished], {}, [&] {
      const int is = PyObject_IsTrue(answer.ptr());
      if (is < 0) throw py::error_already_set();
      return is == 1;
    });
  }
  std::string_view timer_name(sim::AgentId i, std::uint16_t tag, std::uint32_t value) const {
    if (!hooks_[kTimerName]) return {};
    timer_ =
        guarded(names_[kTimerName], i, [&] { return hooks_[kTimerName](i, tag, value).cast<std::string>(); });
    return timer_;
  }

  /// The attributes of the object, pickled, with what the run that goes on from them is warned of. Throws UserError where
  /// one of them cannot be.
  template <class Archive>
  void serialize(Archive& archive) {
    guarded("the state", {}, [&] {
      std::string text;
      if constexpr (Archive::is_saving::value)
        text = helper("state_of")(object_, world_->doubt).cast<std::string>();
      archive(text);
      if constexpr (Archive::is_loading::value)
        world_->doubt = helper("set_state")(object_, py::bytes(text)).cast<std::string>();
    });
  }

  /// Of the class, not of all: the driver asks the object.
  std::span<const models::ProtocolMetric> kMetrics;
  void measure(std::size_t k, const models::World&, std::span<double> out) const {
    const py::gil_scoped_acquire lock;
    guarded(std::string(kMetrics[k].name).c_str(), {},
            [&] { measure_in_python(object_, *run_, run_object_, kMetrics[k], out); });
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

  // Calls a handler with these arguments and the run.
  template <class... Arguments>
  py::object call(Hook hook, std::optional<sim::AgentId> agent, Arguments... arguments) {
    if (!hooks_[hook]) return {};
    std::array<PyObject*, sizeof...(Arguments) + 2> all{nullptr, arguments..., run_object_.ptr()};
    constexpr std::size_t kCount = sizeof...(Arguments) + 1;
    return guarded(names_[hook], agent, [&] {
      auto result = py::reinterpret_steal<py::object>(PyObject_Vectorcall(
          hooks_[hook].ptr(), all.data() + 1, kCount | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
      if (!result) throw py::error_already_set();
      run_->end_handler();
      return result;
    });
  }
  // Returns f(); an exception of Python says where it was.
  template <class F>
  std::invoke_result_t<F> guarded(const char* where, std::optional<sim::AgentId> agent, F&& f) const {
    return in_python(
        code_->name,
        [&] {
          return fmt::format("{}{} at {:g} s", where, agent ? fmt::format(" of agent {}", *agent) : "",
                             world_->engine.now());
        },
        f);
  }

  const models::ProtocolCode* code_ = nullptr;
  bool counts_ = false;
  models::World* world_ = nullptr;
  py::object object_;
  std::array<py::object, kHooks> hooks_;
  std::array<const char*, kHooks> names_{};
  std::shared_ptr<Run> run_;
  py::object run_object_;
  mutable std::string timer_;
};

// Observes without the interpreter's lock: several threads may measure, and metrics of Python take it.
class Unlocked final : public models::Observer {
 public:
  explicit Unlocked(models::Observer& observer) : observer_(observer) {
    check_every_iterations = observer.check_every_iterations;
    every_iterations = observer.every_iterations;
    every_vectors = observer.every_vectors;
    every_bytes = observer.every_bytes;
    every_time = observer.every_time;
    keeper = observer.keeper;
  }
  void observe(const models::World& world) override {
    const py::gil_scoped_release unlocked;
    observer_.observe(world);
  }
  bool reached(const models::World& world) override {
    const py::gil_scoped_release unlocked;
    return observer_.reached(world);
  }
  bool should_abort() override { return observer_.should_abort(); }

 private:
  models::Observer& observer_;
};

class PythonProtocol final : public models::ProtocolCode {
 public:
  explicit PythonProtocol(py::object type) : class_(std::move(type)) {
    const py::dict about = class_.describe(*this, "protocol");
    const auto flag = [&](const char* key) { return about[key].cast<bool>(); };
    step_ = about["step_name"].cast<std::string>();
    counts_ = flag("counts_iterations");
    entry = {.name = "python",
             .help = help,
             .hub = flag("hub"),
             .vectors = about["vectors"].cast<std::uint32_t>(),
             .messages = {.tail = about["tail"].cast<std::uint32_t>(), .any_length = true},
             .broadcasts = flag("broadcasts"),
             .joint = flag("joint"),
             .any_model = flag("any_model"),
             .own_models = flag("own_models"),
             .open = true,
             .step = step_};
    metrics = metrics_of(about, texts_);
  }

  void check(const std::vector<sim::CodeValue>& values, const models::Study&) const override {
    const py::gil_scoped_acquire lock;
    class_.make(values);
  }
  sim::End run(const std::vector<sim::CodeValue>& values, models::World& world,
               models::Observer& observer) const override {
    const py::gil_scoped_acquire lock;
    const py::object made = class_.make(values);
    Handlers handlers(made, *this, counts_, world);
    Unlocked unlocked(observer);
    return models::Driver<Handlers>(handlers, world, unlocked).run();
  }

 private:
  PythonClass class_;
  std::string step_;
  std::deque<std::string> texts_;  // of metrics
  bool counts_ = false;
};

}  // namespace

std::shared_ptr<models::ProtocolCode> python_protocol(py::object type) {
  return std::make_shared<PythonProtocol>(std::move(type));
}

}  // namespace hearsay::scenarios
