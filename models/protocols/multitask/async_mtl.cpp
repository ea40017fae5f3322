#include "models/protocols/multitask/async_mtl.hpp"

#include <fmt/format.h>

namespace hearsay::models {

void AsyncMtl::Params::describe(sim::Visitor& v) {
  v(column_update, {.name = "column_update",
                    .help = "Server update at the arrival of a gradient.",
                    .source = "Xie, Baytas, Lin, Zhou, Algorithm 1"});
  v(activation, {.name = "activation", .help = "Times at which a task begins a turn."});
  TaskLoopOptions::describe(v);
  MultitaskOptions::describe(v);
}

std::vector<std::string> AsyncMtl::Params::notes(const Study& study) const {
  // Turn counts of tasks on like links differ by a few per cent; none has finished at 0.95 of all turns.
  constexpr double kAllActive = 0.95;
  std::vector<std::string> all = MultitaskOptions::notes(study);
  const double last = kAllActive * static_cast<double>(turns) * static_cast<double>(study.problem.owners());
  if (column_update == ColumnUpdate::kBlock || static_cast<double>(study.stop.iterations) <= last) return all;
  all.push_back(fmt::format(
      "warning: protocol.column_update: when a task has made all its turns, the arrivals of the others still "
      "move or shrink its column, without a new gradient; end the run before, for example with "
      "stop.iterations = {:.0f}",
      last));
  return all;
}

AsyncMtl::AsyncMtl(const Params& params, const Study& study)
    : TaskLoop(params, study, params.activation == Activation::kPoisson),
      params_(params),
      nodes_(params, study),
      server_(params.column_update, params.regulariser, params.alpha_2, params.h(), zero_columns(study)),
      tolerance_(params.tolerance),
      sent_(zero_columns(study)),
      column_(study.problem.p()) {}

void AsyncMtl::open(Context& context) {
  nodes_.open(context);
  tolerance_.start(server_, nodes_.q());
}

const Eigen::VectorXd& AsyncMtl::turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p,
                                      Context& context) {
  message_ = *nodes_.turn(t, p, context);
  if (!params_.trusted_server) server_.prepare(p, message_);
  return message_;
}

const Eigen::VectorXd& AsyncMtl::update(std::size_t t, const Vector& message, const TaskTurn*,
                                        Context& context) {
  if (params_.trusted_server) {
    message_ = message;
    server_.prepare(sent_[t], message_);
    server_.put(t, message_);
  } else {
    server_.put(t, message);
  }
  server_.step();
  server_.column(t, column_);
  tolerance_.note_update(server_, nodes_.q());
  if (params_.trusted_server) {
    sent_[t] = column_;
    column_ = nodes_.noisy_column(t, column_, context);
  }
  return column_;
}

void AsyncMtl::reset_server() {
  server_.clear();
  sent_.setZero();
}

void AsyncMtl::measure(std::size_t k, const World& world, std::span<double> out) const {
  measure_multitask(k,
                    {params_.objective(), server_.p(), nodes_.q(), log(), params_.epsilon_turn(world.study),
                     nodes_.violations()},
                    world, out);
}

ProtocolRow async_mtl_row() {
  return row<AsyncMtl>();
}

}  // namespace hearsay::models
