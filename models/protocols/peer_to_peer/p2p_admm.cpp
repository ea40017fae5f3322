#include "models/protocols/peer_to_peer/p2p_admm.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

constexpr std::uint32_t kPartner = 20;  // own purpose of randomness: which neighbour an agent turns to

}  // namespace

void P2pAdmm::Params::describe(sim::Visitor& v) {
  personal.describe(v);
  v(initial, {.name = "initial", .help = "Models at the start; neighbours know each other's."});
  v(rho, {.name = "rho",
          .help = "Penalty of the augmented Lagrangian.",
          .source = "Vanhaesebrouck, Bellet, Tommasi, Section 4",
          .min = 0,
          .open_min = true});
  v(local_steps, {.name = "local_steps",
                  .help = "Gradient steps by which an agent minimises its own part in an exchange.",
                  .min = 1});
  v(exchange, {.name = "exchange", .help = "What the two ends of an edge tell each other."});
  v(timeout, {.name = "timeout",
              .help = "How long an agent waits for the answer on an edge; a later one is discarded.",
              .unit = "s",
              .min = 0,
              .open_min = true});
}

std::vector<std::string> P2pAdmm::Params::fitted_on_private_data(const Study&) const {
  std::vector<std::string> fitted = personal.fitted_on_private_data();
  if (auto phrase = disclosed(initial)) fitted.push_back(std::move(*phrase));
  return fitted;
}

P2pAdmm::P2pAdmm(const Params& params, const Study& study)
    : params_(params),
      personal_(params.personal, study.problem, study.topology),
      probe_(personal_, study),
      exchanges_(2 * study.topology.edges()),
      pull_(study.problem.p()),
      packet_(4 * study.problem.p()),
      z_(study.problem.p()) {
  if (study.privacy.active())
    throw std::invalid_argument("p2p_admm has no private form: use privacy.mechanism none");
  const sim::Topology& graph = study.topology;
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
  const auto edges = static_cast<Index>(2 * graph.edges());
  for (Eigen::MatrixXd* all : {&copies_, &own_z_, &copy_z_, &own_lambda_, &copy_lambda_})
    all->resize(personal_.p(), edges);
  start_ = context.models();
  probe_.start(start_);
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    context.open_account(i);
    reset(i, context);
  }
}

void P2pAdmm::reset(sim::AgentId i, Context&) {
  const sim::Topology& graph = personal_.topology();
  for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
    const std::uint32_t position = graph.first_edge(i) + k;
    const auto e = static_cast<Index>(position);
    own_z_.col(e) = start_.col(i);
    copy_z_.col(e) = copies_.col(e) = start_.col(graph.neighbours(i)[k]);
    own_lambda_.col(e).setZero();
    copy_lambda_.col(e).setZero();
    if (exchanges_[position].kept != kNone) forget(exchanges_[position]);
  }
  probe_.changed(i);
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
  const std::uint32_t first = graph.first_edge(i), last = first + graph.degree(i);
  pull_.setZero();
  for (std::uint32_t position = first; position < last; ++position) {
    const auto e = static_cast<Index>(position);
    const double half = graph.weight(position) / 2, share = half / (half + rho);
    pull_ += own_lambda_.col(e) - rho * own_z_.col(e) - share * (rho * copy_z_.col(e) - copy_lambda_.col(e));
  }
  auto theta = context.model(i);
  const double curvature = curvature_[i] + rho * degree, own = a.weight * a.pull;
  for (std::uint32_t step = 0; step < params_.local_steps; ++step) {
    const auto g = context.release(i, context.gradient(i, theta));
    theta -= 1 / lipschitz * (curvature * theta + pull_ + own * (*g + 2 * a.lambda * theta));
  }
  for (std::uint32_t position = first; position < last; ++position) {
    const auto e = static_cast<Index>(position);
    const double half = graph.weight(position) / 2;
    copies_.col(e) = (half * theta + rho * copy_z_.col(e) - copy_lambda_.col(e)) / (half + rho);
  }
  probe_.changed(i);
}

void P2pAdmm::send_edge(sim::AgentId i, std::uint32_t position, std::uint16_t tag, std::uint32_t conversation,
                        Context& context) {
  const auto e = static_cast<Index>(position);
  const Index p = personal_.p();
  packet_.head(p) = context.model(i);
  packet_.segment(p, p) = copies_.col(e);
  Index numbers = 2 * p;
  if (params_.exchange == AdmmExchange::kFull) {
    packet_.segment(2 * p, p) = own_lambda_.col(e);
    packet_.segment(3 * p, p) = copy_lambda_.col(e);
    numbers = 4 * p;
  }
  const sim::Topology& graph = personal_.topology();
  context.send(i, graph.neighbours(i)[position - graph.first_edge(i)], tag, conversation,
               packet_.head(numbers));
}

// The position of the edge to the neighbour that agent i turns to.
std::uint32_t P2pAdmm::partner_of(sim::AgentId i, Context& context) const {
  const sim::Topology& graph = personal_.topology();
  if (prescribed_partners != nullptr) return graph.edge(i, prescribed_partners->at(context.iterations()));
  sim::Stream s = context.random(kPartner, i);
  return graph.first_edge(i) + static_cast<std::uint32_t>(sim::uniform_index(s, graph.degree(i)));
}

void P2pAdmm::on_tick(sim::AgentId i, Context& context) {
  const std::uint32_t position = partner_of(i, context);
  Exchange& exchange = exchanges_[position];
  if (exchange.kept != kNone) return;  // one exchange per edge at a time
  compute(i, context);
  ++exchange.conversation;
  exchange.kept = keep(context.model(i).data(), copies_.col(static_cast<Index>(position)).data());
  // The timer tells its exchange by the last 16 bits of the conversation.
  context.after(i, params_.timeout, static_cast<std::uint16_t>(exchange.conversation), position);
  const auto answered = static_cast<std::uint16_t>(exchange.answered << 1);
  send_edge(i, position, kRequest | answered, exchange.conversation, context);
  context.count_iteration();
}

void P2pAdmm::on_message(const sim::Message& message, Context& context) {
  if ((message.tag & 1) == kAnswer) {
    complete(message, context);
  } else {
    serve(message, context);
  }
}

void P2pAdmm::serve(const sim::Message& request, Context& context) {
  const sim::AgentId j = request.to;
  const std::uint32_t position = personal_.topology().edge(j, request.from);
  Exchange& own = exchanges_[position];
  if (((request.conversation - own.over - 1) & 0x7fff) >= 0x4000) {  // it has been given up
    context.discard(request);
    return;
  }
  if (own.kept != kNone) {
    const bool overtook = (request.tag >> 1) == (own.conversation & 0x7fff);
    if (overtook || j < request.from) {
      context.discard(request);
      return;
    }
    forget(own);
  }
  own.answered = own.over = request.conversation;
  compute(j, context);
  const auto over = static_cast<std::uint16_t>(own.conversation << 1);
  send_edge(j, position, kAnswer | over, request.conversation, context);
  commit(position, context.model(j).data(), copies_.col(static_cast<Index>(position)).data(),
         request.payload);
  context.count_staleness(0, context.now() - request.sent);
}

void P2pAdmm::complete(const sim::Message& answer, Context& context) {
  const std::uint32_t position = personal_.topology().edge(answer.to, answer.from);
  Exchange& exchange = exchanges_[position];
  if (exchange.kept == kNone || answer.conversation != exchange.conversation) {
    context.discard(answer);
    return;
  }
  const double* kept = kept_.col(static_cast<Index>(exchange.kept)).data();
  commit(position, kept, kept + personal_.p(), answer.payload);
  forget(exchange);
  exchange.over = answer.tag >> 1;
  context.count_staleness(0, context.now() - answer.sent);
}

void P2pAdmm::commit(std::uint32_t position, const double* own, const double* copy,
                     std::span<const double> theirs) {
  const auto e = static_cast<Index>(position);
  const Index p = personal_.p();
  const double rho = params_.rho;
  const bool full = params_.exchange == AdmmExchange::kFull;
  // What they call their own is the copy here, and the other way round.
  const auto one = [&](const double* here, const double* there, const double* multiplier, auto z,
                       auto lambda) {
    z_ = ConstMap(here, p) + ConstMap(there, p);
    if (full) z_ += (lambda + ConstMap(multiplier, p)) / rho;
    z_ /= 2;
    z = z_;
    lambda += rho * (ConstMap(here, p) - z_);
  };
  const double* t = theirs.data();
  one(own, t + p, full ? t + 3 * p : nullptr, own_z_.col(e), own_lambda_.col(e));
  one(copy, t, full ? t + 2 * p : nullptr, copy_z_.col(e), copy_lambda_.col(e));
}

void P2pAdmm::on_timer(sim::AgentId, std::uint16_t conversation, std::uint32_t position, Context&) {
  Exchange& exchange = exchanges_[position];
  if (exchange.kept != kNone && static_cast<std::uint16_t>(exchange.conversation) == conversation)
    forget(exchange);
}

std::uint32_t P2pAdmm::keep(const double* own, const double* copy) {
  const Index p = personal_.p();
  if (free_.empty()) {
    const Index had = kept_.cols(), grown = std::max<Index>(64, 2 * had);
    kept_.conservativeResize(2 * p, grown);
    for (Index c = grown; c-- > had;) free_.push_back(static_cast<std::uint32_t>(c));
  }
  const std::uint32_t column = free_.back();
  free_.pop_back();
  kept_.col(column).head(p) = ConstMap(own, p);
  kept_.col(column).tail(p) = ConstMap(copy, p);
  return column;
}

void P2pAdmm::forget(Exchange& exchange) {
  free_.push_back(exchange.kept);
  exchange.kept = kNone;
}

void P2pAdmm::measure(std::size_t metric, const World& world, std::span<double> out) const {
  out[0] = probe_.measure(metric, world);
}

ProtocolRow p2p_admm_row() {
  return row<P2pAdmm>();
}

}  // namespace hearsay::models
