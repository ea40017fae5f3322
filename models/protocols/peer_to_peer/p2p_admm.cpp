#include "models/protocols/peer_to_peer/p2p_admm.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/run/timeout.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

constexpr std::uint32_t kPartner = 20;  // own purpose of randomness: the neighbour of an exchange

}  // namespace

void P2pAdmm::Params::describe(sim::Visitor& v) {
  PersonalOptions::describe(v);
  v(initial, {.name = "initial", .help = "Initial models, known to neighbours."});
  v(rho, {.name = "rho",
          .help = "Penalty of the augmented Lagrangian.",
          .source = "Vanhaesebrouck, Bellet, Tommasi, Section 4",
          .min = 0,
          .open_min = true,
          .in_run = true});
  v(local_steps, {.name = "local_steps",
                  .help = "Number of gradient steps of an agent on its local objective in an exchange.",
                  .min = 1});
  v(exchange, {.name = "exchange", .help = "Vectors that the two endpoints of an edge exchange."});
  v(timeout,
    sim::positive(
        "timeout",
        "Time an agent waits for a reply; a later reply is discarded. By default 5 typical round trips, at "
        "least 1 s.",
        "s"));
}

void P2pAdmm::Params::require(const Setting& setting) const {
  PersonalOptions::require(setting);
  if (setting.privacy.active())
    throw std::invalid_argument("p2p_admm has no private form: use privacy.mechanism none");
}

std::vector<std::string> P2pAdmm::Params::notes(const Study& study) const {
  std::vector<std::string> all = PersonalOptions::notes(study);
  if (exchange == AdmmExchange::kModels && !study.round_trips.reliable())
    all.emplace_back(
        "warning: protocol.exchange models: where messages can be lost or agents be down, the two ends of an edge "
        "stay apart and the models end elsewhere: use full");
  return all;
}

P2pAdmm::P2pAdmm(const Params& params, const Study& study)
    : PersonalProtocol(params, study),
      params_(fitting(params, study)),
      timeout_(finite_timeout_of(params.timeout, study)),
      exchanges_(2 * study.topology.edges()),
      pull_(study.problem.p()),
      packet_(4 * study.problem.p()),
      z_(study.problem.p()) {
  list_steps(study);
  list_start(params.initial, study);
  const sim::Topology& graph = study.topology;
  sim::require_edges_fit(graph.edges());
  for (sim::AgentId i = 0; i < graph.agents(); ++i) {
    double sum = 0;
    for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
      const double half = graph.weight(graph.first_edge(i) + k) / 2;
      sum += half * params.rho / (half + params.rho);
    }
    curvature_.push_back(sum);
  }
}

void P2pAdmm::on_start(Context& context) {
  std::visit([&](const auto& start) { set_start(start, personal_, context); }, params_.initial);
  const sim::Topology& graph = personal_.topology();
  for (Columns* all : {&copies_, &own_z_, &copy_z_, &own_lambda_, &copy_lambda_, &sent_model_, &sent_copy_})
    *all = Columns(personal_.p(), 2 * graph.edges());
  start_ = context.models();
  track(start_);
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    context.open_account(i);
    reset(i, context);
  }
}

void P2pAdmm::reset(sim::AgentId i, Context&) {
  const sim::Topology& graph = personal_.topology();
  for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
    const auto position = static_cast<std::uint32_t>(graph.first_edge(i)) + k;
    own_z_.col(position) = start_.col(i);
    copy_z_.col(position) = copies_.col(position) = start_.col(graph.neighbours(i)[k]);
    own_lambda_.col(position).setZero();
    copy_lambda_.col(position).setZero();
    exchanges_[position].request.end();
  }
  changed(i);
}

// (1). With b_k = rho Z_ei^k - Lambda_ei^k a copy is (W/2 Theta_i^i + b_k)/(W/2 + rho), so that
//   sum_k W/2 (Theta_i^i - Theta_i^k) = curvature_i Theta_i^i - sum_k (W/2)/(W/2 + rho) b_k.
// pull_ gathers what does not depend on Theta_i^i.
void P2pAdmm::compute(sim::AgentId i, Context& context) {
  context.compute(i);
  const PersonalProblem::Agent& a = personal_.agent(i);
  const sim::Topology& graph = personal_.topology();
  const double rho = params_.rho;
  const auto degree = static_cast<double>(graph.degree(i));
  const double lipschitz = a.weight / 2 + rho * degree + a.weight * a.pull * a.lipschitz;
  const auto first = static_cast<std::uint32_t>(graph.first_edge(i)), last = first + graph.degree(i);
  pull_.setZero();
  for (std::uint32_t position = first; position < last; ++position) {
    const double half = graph.weight(position) / 2, share = half / (half + rho);
    pull_ += own_lambda_.col(position) - rho * own_z_.col(position) -
             share * (rho * copy_z_.col(position) - copy_lambda_.col(position));
  }
  auto theta = context.model(i);
  const double curvature = curvature_[i] + rho * degree, own = a.weight * a.pull;
  for (std::uint32_t step = 0; step < params_.local_steps; ++step) {
    const auto g = context.release(i, context.gradient(i, theta));
    theta -= 1 / lipschitz * (curvature * theta + pull_ + own * (*g + 2 * a.lambda * theta));
  }
  for (std::uint32_t position = first; position < last; ++position) {
    const double half = graph.weight(position) / 2;
    copies_.col(position) =
        (half * theta + rho * copy_z_.col(position) - copy_lambda_.col(position)) / (half + rho);
  }
  changed(i);
}

void P2pAdmm::send_edge(sim::AgentId i, std::uint32_t position, std::uint16_t tag, std::uint32_t number,
                        Context& context) {
  const Index p = personal_.p();
  packet_.head(p) = context.model(i);
  packet_.segment(p, p) = copies_.col(position);
  Index numbers = 2 * p;
  if (params_.exchange == AdmmExchange::kFull) {
    packet_.segment(2 * p, p) = own_lambda_.col(position);
    packet_.segment(3 * p, p) = copy_lambda_.col(position);
    numbers = 4 * p;
  }
  const sim::Topology& graph = personal_.topology();
  context.send(i, graph.neighbours(i)[position - graph.first_edge(i)], tag, number, packet_.head(numbers));
}

// The position of the edge to the neighbour of agent i's next exchange.
std::uint32_t P2pAdmm::partner_of(sim::AgentId i, Context& context) const {
  const sim::Topology& graph = personal_.topology();
  if (prescribed_partners != nullptr)
    return static_cast<std::uint32_t>(graph.edge(i, prescribed_partners->at(context.iterations())));
  sim::Stream s = context.random(kPartner, i);
  return static_cast<std::uint32_t>(graph.first_edge(i) + sim::uniform_index(s, graph.degree(i)));
}

void P2pAdmm::on_tick(sim::AgentId i, Context& context) {
  const std::uint32_t position = partner_of(i, context);
  Exchange& exchange = exchanges_[position];
  if (exchange.request.in_flight()) return;
  compute(i, context);
  const std::uint32_t number = exchange.request.begin();
  sent_model_.col(position) = context.model(i);
  sent_copy_.col(position) = copies_.col(position);
  context.after(i, timeout_, static_cast<std::uint16_t>(number), position);
  send_edge(i, position, kRequest | static_cast<std::uint16_t>(exchange.replied << 1), number, context);
  context.count_iteration();
}

void P2pAdmm::on_message(const sim::Message& message, Context& context) {
  if ((message.tag & 1) == kReply) {
    complete(message, context);
  } else {
    serve(message, context);
  }
}

void P2pAdmm::serve(const sim::Message& request, Context& context) {
  const sim::AgentId j = request.to;
  const auto position = static_cast<std::uint32_t>(personal_.topology().edge(j, request.from));
  Exchange& own = exchanges_[position];
  const bool given_up = ((request.conversation - own.over - 1) & 0x7fff) >= 0x4000;
  const bool overtook = (request.tag >> 1) == (own.request.number() & 0x7fff);
  if (given_up || (own.request.in_flight() && (overtook || j < request.from))) {
    context.discard(request);
    return;
  }
  own.request.end();
  own.replied = own.over = request.conversation;
  compute(j, context);
  send_edge(j, position, kReply | static_cast<std::uint16_t>(own.request.number() << 1), request.conversation,
            context);
  commit(position, context.model(j), copies_.col(position), request.payload);
  context.count_staleness(0, context.now() - request.sent);
}

void P2pAdmm::complete(const sim::Message& reply, Context& context) {
  const auto position = static_cast<std::uint32_t>(personal_.topology().edge(reply.to, reply.from));
  Exchange& exchange = exchanges_[position];
  if (!exchange.request.match(reply, context)) return;
  commit(position, sent_model_.col(position), sent_copy_.col(position), reply.payload);
  exchange.request.end();
  exchange.over = reply.tag >> 1;
  context.count_staleness(0, context.now() - reply.sent);
}

void P2pAdmm::commit(std::uint32_t position, const Eigen::Ref<const Eigen::VectorXd>& own,
                     const Eigen::Ref<const Eigen::VectorXd>& copy, std::span<const double> theirs) {
  const Index p = personal_.p();
  const double rho = params_.rho;
  const bool full = params_.exchange == AdmmExchange::kFull;
  // Their own model is the copy here, and the other way round.
  const auto one = [&](const auto& here, const double* there, const double* multiplier, auto z, auto lambda) {
    z_ = here + ConstMap(there, p);
    if (full) z_ += (lambda + ConstMap(multiplier, p)) / rho;
    z_ /= 2;
    z = z_;
    lambda += rho * (here - z_);
  };
  const double* t = theirs.data();
  one(own, t + p, full ? t + 3 * p : nullptr, own_z_.col(position), own_lambda_.col(position));
  one(copy, t, full ? t + 2 * p : nullptr, copy_z_.col(position), copy_lambda_.col(position));
}

void P2pAdmm::on_timer(sim::AgentId, std::uint16_t tag, std::uint32_t position, Context&) {
  Request& request = exchanges_[position].request;
  if (static_cast<std::uint16_t>(request.number()) == tag) request.end();
}

}  // namespace hearsay::models
