#include "scenarios/python/run.hpp"

#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "models/run/timeout.hpp"

namespace hearsay::scenarios {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A vector that a protocol passes. Whatever was computed from private records is no array.
class Given {
 public:
  // Throws py::type_error, and py::value_error for another length than `p` unless that is 0.
  Given(py::handle given, const char* what, Eigen::Index p) {
    if (decltype(array_)::check_(given)) {
      array_ = py::reinterpret_borrow<decltype(array_)>(given);
      if (array_.ndim() == 1 && (p == 0 || array_.size() == p)) return;
    }
    if (py::isinstance<OpaqueVector>(given) || py::isinstance<models::LocalVector>(given))
      throw py::type_error(fmt::format("{}: what was not released cannot leave its owner", what));
    array_ = decltype(array_)::ensure(given);
    if (!array_) {
      PyErr_Clear();
      throw py::type_error(fmt::format("{}: expected an array of numbers, found {}", what,
                                       std::string(py::str(py::type::of(given).attr("__name__")))));
    }
    if (array_.ndim() != 1 || (p != 0 && array_.size() != p)) {
      throw py::value_error(fmt::format("{}: expected {} numbers, found an array of shape {}", what,
                                        p == 0 ? "a vector of" : std::to_string(p),
                                        std::string(py::str(array_.attr("shape")))));
    }
  }
  models::Vector vector() const { return {array_.data(), static_cast<Eigen::Index>(array_.size())}; }

 private:
  py::array_t<double, py::array::c_style | py::array::forcecast> array_;
};

// A message as it arrived: a tuple with names, which are read in a tenth of the time of attributes of pybind11.
PyTypeObject* message_type() {
  static PyStructSequence_Field fields[] = {{"source", nullptr}, {"target", nullptr},
                                            {"tag", nullptr},    {"conversation", nullptr},
                                            {"sent", "s"},       {"payload", "the handler's own array"},
                                            {nullptr, nullptr}};
  static PyStructSequence_Desc about{"hearsay.Message", "A message as it arrived.", fields, 6};
  static PyTypeObject* const type = PyStructSequence_NewType(&about);
  return type;
}

}  // namespace

models::Sensitive OpaqueVector::take() {
  if (!sensitive) throw py::value_error("it has been released or kept before");
  models::Sensitive taken = std::move(*sensitive);
  sensitive.reset();
  return taken;
}

Run::Run(models::Context& context, models::World& world, const models::Entry& entry, bool timers)
    : context_(&context),
      world_(world),
      entry_(entry),
      timers_(timers),
      models_(world.models.data(), world.models.rows(), static_cast<std::size_t>(world.models.cols())),
      neighbours_(static_cast<std::size_t>(world.models.cols())) {}

models::Context& Run::context() const {
  if (context_ == nullptr) throw py::value_error("the run has ended");
  return *context_;
}

models::Context& Run::acting() const {
  if (looking_) {
    throw py::value_error(
        "a metric only looks: it changes nothing, draws nothing, and sees no private data; of the run it can "
        "use now, up, neighbours, model, records, iterations and the like");
  }
  return context();
}

const models::World& Run::world() const {
  context();  // while there is one
  return world_;
}

sim::AgentId Run::agent(py::ssize_t i) const {
  const auto count = static_cast<py::ssize_t>(context().agents());
  if (i >= 0 && i < count) return static_cast<sim::AgentId>(i);
  throw py::index_error(fmt::format("expected an agent from 0 to {}, found {}", count - 1, i));
}

sim::AgentId Run::owner_agent(py::ssize_t i) const {
  const sim::AgentId a = agent(i);
  if (world_.hub && a == 0) throw py::value_error("agent 0 is the hub and holds no data");
  return a;
}

// Of what is to be released.
double Run::positive_sensitivity(double sensitivity) const {
  const bool is_private = context().privacy().active();
  if (is_private ? sensitivity > 0 && std::isfinite(sensitivity) : sensitivity >= 0) return sensitivity;
  throw py::value_error(fmt::format("expected a finite sensitivity {} 0, found {}",
                                    is_private ? "above" : "from", sensitivity));
}

void Run::after(py::ssize_t i, double delay, std::uint16_t tag, std::uint32_t number) {
  if (!timers_) throw py::value_error("after: the class has no on_timer");
  if (!(delay >= 0)) throw py::value_error(fmt::format("after: expected a delay from 0, found {}", delay));
  acting().after(agent(i), delay, tag, number);
}

void Run::open_account(py::ssize_t i, std::optional<std::uint64_t> releases, std::uint32_t overlap) {
  const sim::AgentId a = owner_agent(i);
  models::Context& run = acting();
  const models::Budget& privacy = run.privacy();
  if (!releases && privacy.active() && !privacy.steps.empty()) releases = privacy.steps[run.owner(a)];
  if (privacy.active() && (!releases || *releases == 0 || overlap == 0))
    throw py::value_error(
        "open_account: with privacy expected a number of releases, from 1, or privacy.steps, and an "
        "overlap from 1");
  if (!starting_) throw py::value_error("open_account: accounts are opened in on_start");
  if (!privacy.active()) return run.open_account(a);
  run.open_account(a, *releases, overlap);
}

OpaqueVector Run::sensitive(py::handle x, double sensitivity) {
  return {.sensitive =
              acting().sensitive(Given(x, "sensitive", 0).vector(), positive_sensitivity(sensitivity))};
}

py::object Run::arrived(const sim::Message& message) {
  handled_ = &message;
  auto made = py::reinterpret_steal<py::object>(PyStructSequence_New(message_type()));
  Py_ssize_t place = 0;
  const auto set = [&](py::object value) {
    PyStructSequence_SetItem(made.ptr(), place++, value.release().ptr());
  };
  set(py::int_(message.from));
  set(py::int_(message.to));
  set(py::int_(message.tag));
  set(py::int_(message.conversation));
  set(py::float_(message.sent));
  set(arrays_.copy(message.payload));
  arrived_ = made;
  return made;
}

void Run::discard(py::handle message) {
  models::Context& run = acting();
  if (handled_ == nullptr) throw py::value_error("discard: no message is being handled");
  if (!message.is(arrived_))
    throw py::value_error("discard: expected the message that is being handled, once");
  arrived_ = {};
  run.discard(*handled_);
}

void Run::end_handler() {
  handled_ = nullptr;
  arrived_ = {};
  if (!models_.any_kept()) return;
  // Whoever keeps it may still read it: its memory stays.
  auto* const kept = new Eigen::MatrixXd(world_.models);
  kept->swap(world_.models);
  throw py::value_error("a handler kept run.model(i), whose numbers change: keep run.model(i).copy()");
}

py::object Run::neighbours(py::ssize_t i) {
  const sim::AgentId a = agent(i);
  py::object& all = neighbours_[a];
  if (!all) {
    const auto ids = context().neighbours(a);
    py::tuple made(ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) made[k] = ids[k];
    all = std::move(made);
  }
  return all;
}

py::object Run::model(py::ssize_t i) {
  const sim::AgentId a = agent(i);
  if (!looking_) return models_.view(a);
  py::array_t<double> copy = new_vector(world_.models.rows());
  std::copy_n(world_.models.col(a).data(), world_.models.rows(), copy.mutable_data());
  py::detail::array_proxy(copy.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return copy;
}

void Run::send(py::ssize_t from, py::handle to, std::uint16_t tag, std::uint32_t conversation,
               py::handle payload) {
  models::Context& run = acting();
  const sim::AgentId sender = agent(from);
  if (entry_.broadcasts)
    throw py::value_error("send: the class has no on_message, or says that it only broadcasts");
  receivers_.clear();
  if (PyIndex_Check(to.ptr()) && !PySequence_Check(to.ptr())) {
    receivers_.push_back(agent(to.cast<py::ssize_t>()));
  } else {
    for (const py::handle one : to) receivers_.push_back(agent(one.cast<py::ssize_t>()));
  }
  const auto neighbours = run.neighbours(sender);
  for (const sim::AgentId receiver : receivers_) {
    if (!std::ranges::binary_search(neighbours, receiver))
      throw py::value_error(fmt::format("send: agent {} is no neighbour of agent {}", receiver, sender));
  }
  if (payload.is_none()) {
    for (const sim::AgentId receiver : receivers_) run.send(sender, receiver, tag, conversation);
    return;
  }
  const Given given(payload, "send", 0);
  const Eigen::Index most = run.p() * entry_.vectors;
  if (given.vector().size() > most) {
    throw py::value_error(fmt::format("send: expected at most {} numbers (vectors = {}, p = {}), found {}",
                                      most, entry_.vectors, run.p(), given.vector().size()));
  }
  if (const Eigen::Index size = given.vector().size(); size > 0 && size < entry_.messages.tail)
    throw py::value_error(
        fmt::format("send: expected at least tail = {} numbers, found {}", entry_.messages.tail, size));
  if (receivers_.size() == 1) return run.send(sender, receivers_.front(), tag, conversation, given.vector());
  run.send(sender, receivers_, tag, conversation, given.vector());
}

// What agent i last heard of its neighbours, degree x p.
py::object Run::heard(py::ssize_t i) {
  models::Context& run = acting();
  const sim::AgentId a = agent(i);
  const std::uint32_t degree = run.degree(a);
  const Eigen::Index p = run.p();
  py::array_t<double>& rows = arrays_.heard(degree, p);
  double* out = rows.mutable_data();
  for (std::uint32_t k = 0; k < degree; ++k, out += p) {
    const models::Vector model = run.heard(a, k).model;
    std::copy_n(model.data(), p, out);
  }
  return rows;
}

// The same with the publications' numbers and times: (degree x p, degree, degree).
py::object Run::heard_of(py::ssize_t i) {
  models::Context& run = acting();
  const sim::AgentId a = agent(i);
  const std::uint32_t degree = run.degree(a);
  const Eigen::Index p = run.p();
  py::array_t<double> rows(std::vector<py::ssize_t>{degree, p});
  py::array_t<std::int64_t> versions(degree);
  py::array_t<double> sent(degree);
  for (std::uint32_t k = 0; k < degree; ++k) {
    const models::Heard heard = run.heard(a, k);
    std::copy_n(heard.model.data(), p, rows.mutable_data() + k * p);
    versions.mutable_data()[k] = heard.version;
    sent.mutable_data()[k] = heard.sent;
  }
  return py::make_tuple(rows, versions, sent);
}

py::object Run::latest(py::ssize_t reader, py::ssize_t neighbour) {
  const sim::AgentId a = agent(reader), b = agent(neighbour);
  if (!std::ranges::binary_search(context().neighbours(a), b))
    throw py::value_error(fmt::format("latest: agent {} is no neighbour of agent {}", b, a));
  const models::Vector model = acting().latest(a, b);
  return arrays_.copy({model.data(), static_cast<std::size_t>(model.size())});
}

OpaqueVector Run::gradient(py::ssize_t i, py::handle theta, std::optional<double> sensitivity,
                           py::handle records, std::optional<double> divisor) {
  models::Context& run = acting();
  const sim::AgentId a = owner_agent(i);
  if (theta.is_none()) {
    const auto own = run.model(a);
    return gradient(i, arrays_.copy({own.data(), static_cast<std::size_t>(own.size())}), sensitivity, records,
                    divisor);
  }
  if (sensitivity) positive_sensitivity(*sensitivity);
  const Given at(theta, "gradient", run.p());
  if (records.is_none()) {
    if (divisor) throw py::type_error("gradient: divisor is given without records");
    if (sensitivity) return {run.gradient(a, at.vector(), *sensitivity), a};
    return {run.gradient(a, at.vector()), a};
  }
  if (!divisor || !(*divisor > 0))
    throw py::value_error("gradient: records need a divisor above 0, a public number");
  // A mask would be the numbers 0 and 1; a number that is given twice would count twice, and be released as if once.
  const py::array given = py::array::ensure(records);
  const char kind = given && given.size() > 0 ? given.dtype().kind() : 'i';
  if (!given || given.ndim() != 1 || (kind != 'i' && kind != 'u'))
    throw py::type_error(
        "gradient: records are a list of whole numbers; of a mask, those of numpy.flatnonzero");
  const auto numbers = records.cast<std::vector<Eigen::Index>>();
  std::vector<char> taken(static_cast<std::size_t>(run.records(a)), 0);
  for (const Eigen::Index record : numbers) {
    if (record < 0 || record >= run.records(a))
      throw py::index_error(fmt::format("gradient: agent {} has no record {}", a, record));
    if (std::exchange(taken[static_cast<std::size_t>(record)], 1) != 0 && sensitivity)
      throw py::value_error(fmt::format(
          "gradient: record {} is given twice, so that one record changes more than a sensitivity says",
          record));
  }
  return {run.gradient(a, at.vector(), sensitivity.value_or(kInfinity), numbers, *divisor), a,
          sensitivity.has_value()};
}

OpaqueVector Run::from_data(py::ssize_t i, const py::function& f, std::optional<double> sensitivity) {
  const sim::AgentId a = owner_agent(i);
  if (sensitivity) positive_sensitivity(*sensitivity);
  return {acting().from_data(
              a,
              [&](const models::Problem& problem, std::size_t owner) -> Eigen::VectorXd {
                const models::Shard& shard = problem.data().train[owner];
                const RecordViews records(shard.features, shard.target);
                py::object result = f(records.features, records.targets);
                Eigen::VectorXd value = Given(result, "from_data", 0).vector();
                result = py::none();  // perhaps a part of a view
                records.require_let_go();
                return value;
              },
              sensitivity.value_or(kInfinity)),
          a, sensitivity.has_value()};
}

py::object Run::release(py::ssize_t i, py::handle given) {
  const sim::AgentId a = owner_agent(i);
  if (!py::isinstance<OpaqueVector>(given))
    throw py::type_error("release: expected what run.gradient, run.from_data or run.sensitive returns");
  auto& x = *given.cast<OpaqueVector*>();
  if (x.agent && *x.agent != a)
    throw py::value_error(
        fmt::format("release: computed from the records of agent {}, not of agent {}", *x.agent, a));
  if (!x.stated && context().privacy().active())
    throw py::value_error("release: its sensitivity was not stated");
  if (world_.ledger.account(a).release_limit == 0)
    throw py::value_error(
        fmt::format("release: agent {} has no open account: run.open_account in on_start", a));
  const auto released = acting().release(a, x.take());
  if (!released) return py::none();
  return arrays_.copy({released->data(), static_cast<std::size_t>(released->size())});
}

void Run::define(py::module_& module) {
  define_random(module);
  py::class_<OpaqueVector>(
      module, "Sensitive",
      "What was computed from private records: cannot be read, sent or published. It becomes an "
      "array through run.release, or stays inside its owner by run.keep_local.");
  py::class_<models::LocalVector>(module, "LocalVector", "Without noise, for use inside its owner.")
      .def("inside_owner",
           [](const models::LocalVector& local) { return Eigen::VectorXd(local.inside_owner()); });
  module.attr("Message") = py::handle(reinterpret_cast<PyObject*>(message_type()));
  const auto none = py::none();
  py::class_<Run, std::shared_ptr<Run>>(module, "Run",
                                        "The run as a protocol sees it; see the page on protocols in Python.")
      // --- Network ---
      .def_property_readonly(
          "now", [](Run& r) { return r.context().now(); }, "Simulated time, s.")
      .def_property_readonly("agents", [](Run& r) { return r.context().agents(); })
      .def("up", [](Run& r, py::ssize_t i) { return r.context().up(r.agent(i)); })
      .def("neighbours", &Run::neighbours, "Their numbers, ascending.")
      .def("degree", [](Run& r, py::ssize_t i) { return r.context().degree(r.agent(i)); })
      .def("send", &Run::send, py::arg("source"), py::arg("target"), py::arg("tag") = 0,
           py::arg("conversation") = 0, py::arg("payload") = none,
           "To a neighbour or several; the payload is copied. Arrives as on_message.")
      .def(
          "publish",
          [](Run& r, py::ssize_t i, py::handle x) {
            return r.acting().publish(r.agent(i), Given(x, "publish", r.context().p()).vector());
          },
          py::arg("source"), py::arg("state"),
          "Tells all neighbours a new state, p numbers. Returns the number of the publication, from 1.")
      .def("heard", &Run::heard, "What the agent last heard of each neighbour, degree x p.")
      .def("heard_of", &Run::heard_of, "The same with the publications' numbers and times.")
      .def("latest", &Run::latest, py::arg("reader"), py::arg("neighbour"),
           "What an agent last heard of one neighbour.")
      .def(
          "compute", [](Run& r, py::ssize_t i) { r.acting().compute(r.agent(i)); },
          "The agent computes from now on, for as long as the scenario says.")
      .def(
          "leaves", [](Run& r, py::ssize_t i) { return r.context().leaves(r.agent(i)); },
          "When what the agent sends now leaves it, s.")
      .def("after", &Run::after, py::arg("agent"), py::arg("delay"), py::arg("tag") = 0,
           py::arg("number") = 0, "Sets a timer; never fires after an infinite delay.")
      .def("discard", &Run::discard,
           "The message being handled came too late to be used: counted and traced as lost. Once.")
      .def(
          "timeout",
          [](Run& r, std::optional<double> given) { return models::timeout_of(given, r.world().study); },
          py::arg("given") = none,
          "How long to wait for a reply, s: as given, else infinite on a reliable network, else 5 typical round "
          "trips, at least 1 s.")
      // --- Models ---
      .def_property_readonly("p", [](Run& r) { return r.context().p(); })
      .def("model", &Run::model,
           "The agent's public model, a view that is written through; not to be kept beyond the handler.")
      .def("regulariser_gradient",
           [](Run& r, py::handle theta) {
             const Given at(theta, "regulariser_gradient", r.context().p());
             r.scratch_.resize(r.context().p());
             r.context().regulariser_gradient(at.vector(), r.scratch_);
             return r.arrays_.copy({r.scratch_.data(), static_cast<std::size_t>(r.scratch_.size())});
           })
      .def(
          "project",
          [](Run& r, py::array_t<double> theta) {
            if (theta.ndim() != 1 || theta.size() != r.context().p() || theta.strides(0) % 8 != 0)
              throw py::value_error(fmt::format("project: expected {} numbers", r.context().p()));
            const py::ssize_t stride = theta.strides(0) / static_cast<py::ssize_t>(sizeof(double));
            Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>> moved(theta.mutable_data(), theta.size(),
                                                                       Eigen::InnerStride<>(stride));
            r.scratch_ = moved;
            r.acting().project(r.scratch_);
            moved = r.scratch_;
          },
          py::arg("theta").noconvert(), "Clamps an array to the box, in place.")
      .def_property_readonly(
          "strong_convexity", [](Run& r) { return r.world().study.problem.sigma(); },
          "sigma of the regulariser.")
      // --- Private data ---
      .def_property_readonly("owners", [](Run& r) { return r.context().owners(); })
      .def("owner", [](Run& r, py::ssize_t i) { return r.context().owner(r.owner_agent(i)); })
      .def("agent_of",
           [](Run& r, std::size_t owner) {
             if (owner >= r.context().owners()) throw py::index_error("agent_of: there is no such owner");
             return r.context().agent_of(owner);
           })
      .def("records",
           [](Run& r, py::ssize_t i) {
             const sim::AgentId a = r.agent(i);
             return r.world_.hub && a == 0 ? Eigen::Index{0} : r.context().records(a);
           })
      .def_property_readonly("total_records", [](Run& r) { return r.context().records(); })
      .def(
          "gradient", &Run::gradient, py::arg("agent"), py::arg("theta") = none,
          py::arg("sensitivity") = none, py::arg("records") = none, py::arg("divisor") = none,
          "Mean gradient over the agent's records at theta, by default its model; or the sum over some records divided "
          "by a public number.")
      .def("from_data", &Run::from_data, py::arg("agent"), py::arg("f"), py::arg("sensitivity") = none,
           "What f(X, y) computes from the agent's records.")
      .def(
          "keep_local", [](Run& r, OpaqueVector& x) { return r.acting().keep_local(x.take()); },
          "For use inside its owner.")
      .def("sensitive", &Run::sensitive, py::arg("x"), py::arg("sensitivity"),
           "What an agent computed inside, to be released.")
      .def("open_account", &Run::open_account, py::arg("agent"), py::arg("releases") = none,
           py::arg("overlap") = 1,
           "Once, before the first release: so many equal releases that together keep the agent's budget.")
      .def("may_release", [](Run& r, py::ssize_t i) { return r.context().may_release(r.agent(i)); })
      .def_property_readonly("all_spent", [](Run& r) { return r.context().all_spent(); })
      .def("release", &Run::release, py::arg("agent"), py::arg("sensitive"),
           "Adds the noise of the account's next release and charges it; None if the budget is exhausted.")
      .def_property_readonly("private", [](Run& r) { return r.context().privacy().active(); })
      // --- The run ---
      .def(
          "random",
          [](Run& r, std::uint64_t purpose, py::ssize_t i) {
            // The run keeps a place for every purpose up to the largest.
            if (purpose > std::numeric_limits<std::uint16_t>::max())
              throw py::value_error(fmt::format("random: expected a purpose below 2^16, found {}", purpose));
            return r.acting().random(static_cast<std::uint32_t>(purpose), r.agent(i));
          },
          py::arg("purpose"), py::arg("agent"),
          "A fresh stream of the agent for this purpose, a number below 2^16.")
      .def("count_iteration", [](Run& r) { r.acting().count_iteration(); })
      .def_property_readonly("iterations", [](Run& r) { return r.context().iterations(); })
      .def_property_readonly(
          "planned_iterations",
          [](Run& r) -> std::optional<std::uint64_t> {
            const std::uint64_t limit = r.world().study.stop.iterations;
            if (limit == models::StopLimits().iterations) return std::nullopt;
            return limit;
          },
          "stop.iterations of the scenario, or None.")
      .def(
          "count_staleness", [](Run& r, double steps, double age) { r.acting().count_staleness(steps, age); },
          py::arg("steps"), py::arg("age"),
          "How old what an update used was: updates of the receiver since, and s.");
}

}  // namespace hearsay::scenarios
