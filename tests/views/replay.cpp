// hearsay_views FILE: what adversaries see in logs of releases, messages, losses and mixing ("cases"), and of gradient
// descent by neighbours with linear reactions ("linear"), against the numbers in the file. One line per number that
// differs, then a count; exit code 0 if all agree, 1 if not, 2 if the file can not be used.
//
//   ["release", i, eta, sigma, Delta]  x_i += eta y_j     ["send", i, k, m]  message m copies x_i    ["lose", m]
//   ["arrive", m]                      ["mix", i, w, [[m, v], ...]]  x_i = w x_i + sum v payload     ["ask"]
#include "models/views/view.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <map>

#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "tests/vectors/numbers.hpp"

namespace hearsay::vectors {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Json = nlohmann::json;

struct Replayed {
  std::vector<Index> columns;
  std::vector<double> q;
  double local = 0;
};

std::span<const double> numbers(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void replay(const Json& section, Comparison& comparison) {
  const std::string name = section["name"];
  const auto agents = section["agents"].get<std::size_t>();
  const Json& log = section["log"];
  const auto releases = std::ranges::count_if(log, [](const Json& entry) { return entry[0] == "release"; });
  std::vector<models::View> views(section["adversaries"].size(), models::View(releases));
  const auto member = [&](std::size_t a, std::size_t agent) {
    const auto& all = section["adversaries"][a];
    return std::ranges::find(all, Json(agent)) != all.end();
  };
  std::vector<VectorXd> models(agents, VectorXd::Zero(releases));
  std::vector<Replayed> made(agents);
  std::map<int, std::pair<std::size_t, VectorXd>> messages;  // receiver and payload
  Index column = 0;
  std::size_t asked = 0;
  for (const Json& entry : log) {
    const std::string what = entry[0];
    if (what == "release") {
      const std::size_t i = entry[1];
      const double sigma = entry[3], sensitivity = entry[4];
      models[i][column] += entry[2].get<double>();
      made[i].columns.push_back(column);
      made[i].q.push_back(sensitivity / sigma);
      made[i].local += sensitivity / sigma * (sensitivity / sigma);
      for (std::size_t a = 0; a < views.size(); ++a) {
        views[a].scale(column, sigma);
        if (member(a, i)) views[a].know(column);
      }
      ++column;
    } else if (what == "send") {
      const std::size_t i = entry[1];
      messages[entry[3]] = {entry[2], models[i]};
      for (std::size_t a = 0; a < views.size(); ++a)
        if (member(a, i)) views[a].add(numbers(models[i]));
    } else if (what == "arrive") {
      const auto& [to, payload] = messages.at(entry[1]);
      for (std::size_t a = 0; a < views.size(); ++a)
        if (member(a, to)) views[a].add(numbers(payload));
    } else if (what == "mix") {
      VectorXd& x = models[entry[1]];
      x *= entry[2].get<double>();
      for (const Json& part : entry[3]) x += part[1].get<double>() * messages.at(part[0]).second;
    } else if (what == "ask") {
      const Json& values = section["values"][asked++];
      for (std::size_t a = 0; a < views.size(); ++a) {
        for (std::size_t u = 0; u < agents; ++u) {
          const Json& expected = values[a][u];
          if (expected.is_null()) continue;
          const Replayed& own = made[u];
          double mu = views[a].touches(own.columns) ? own.local : 0;
          if (views[a].certain()) mu = std::min(mu, views[a].mu_squared(own.columns, own.q));
          const std::string place = fmt::format("{}, ask {}, adversary {}, owner {}", name, asked, a, u);
          comparison.number(place + ": mu2", mu, expected["mu2"]);
          comparison.number(place + ": epsilon", models::gaussian_epsilon(section["delta"], std::sqrt(mu)),
                            expected["epsilon"]);
          comparison.number(place + ": local mu2", own.local, expected["local_mu2"]);
        }
      }
    }
  }
}

// In each round every agent adds -eta (H_i x_i - b_i + noise), sends x_i to its neighbours, and mixes with weights W.
// Rows of gradients that do not react have one entry for each release; else p x p numbers each.
void descend(const Json& section, Comparison& comparison) {
  const std::string name = section["name"];
  const Json& w = section["W"];
  const auto agents = static_cast<Index>(w.size());
  const Index rounds = section["rounds"], adversary = section["adversary"];
  const double eta = section["eta"], q = section["Delta"].get<double>() / section["sigma"].get<double>();
  const auto parameters = static_cast<Index>(section["H"][0].size());
  for (const bool reacts : {false, true}) {
    const Index p = reacts ? parameters : 1, width = agents * rounds * p;
    models::View view(width);
    view.scale(0, section["sigma"]);
    for (Index c = 0; c < width; ++c) view.scale(c, section["sigma"]);
    const auto see = [&](const MatrixXd& rows) {
      for (Index a = 0; a < p; ++a) view.add(numbers(rows.row(a)));
    };
    std::vector<MatrixXd> models(static_cast<std::size_t>(agents), MatrixXd::Zero(p, width));
    for (Index t = 0; t < rounds; ++t) {
      for (Index i = 0; i < agents; ++i) {
        MatrixXd& x = models[static_cast<std::size_t>(i)];
        MatrixXd released = MatrixXd::Zero(p, width);
        for (Index a = 0; reacts && a < p; ++a)
          for (Index b = 0; b < p; ++b) released.row(a) += section["H"][i][a][b].get<double>() * x.row(b);
        for (Index a = 0; a < p; ++a) released(a, p * (t * agents + i) + a) += 1;
        if (i == adversary) see(released);
        x -= eta * released;
      }
      std::vector<MatrixXd> mixed(models.size(), MatrixXd::Zero(p, width));
      for (Index i = 0; i < agents; ++i) {
        for (Index j = 0; j < agents; ++j) {
          const double weight = w[i][j];
          mixed[static_cast<std::size_t>(i)] += weight * models[static_cast<std::size_t>(j)];
          if (i == adversary && weight > 0) see(models[static_cast<std::size_t>(j)]);
        }
      }
      models = mixed;
    }
    const double local = static_cast<double>(rounds) * q * q;
    for (Index u = 0; u < agents; ++u) {
      if (u == adversary) continue;
      std::vector<Index> columns;
      for (Index t = 0; t < rounds; ++t) columns.push_back(p * (t * agents + u));
      const std::vector<double> qs(columns.size(), q);
      const double mu = std::min(local, view.mu_squared(columns, qs, p));
      comparison.number(fmt::format("{}, owner {}: {}", name, u, reacts ? "linear" : "fixed gradients"), mu,
                        section[reacts ? "linear" : "fixed_gradients"][u]);
      if (!reacts) continue;
      const MatrixXd sum = view.sum_of_blocks(columns, qs, p);
      comparison.number(fmt::format("{}, owner {}: one label", name, u),
                        Eigen::SelfAdjointEigenSolver<MatrixXd>(sum).eigenvalues()[p - 1],
                        section["one_label"][u]);
    }
  }
}

}  // namespace

}  // namespace hearsay::vectors

int main(int argc, char** argv) {
  using namespace hearsay::vectors;
  if (argc != 2) {
    fmt::print(stderr, "usage: hearsay_views FILE\n");
    return 2;
  }
  try {
    std::ifstream in(argv[1]);
    if (!in) throw std::runtime_error("can not be opened");
    const Json file = Json::parse(in);
    Comparison comparison;
    for (const Json& section : file.value("cases", Json::array())) replay(section, comparison);
    for (const Json& section : file.value("linear", Json::array())) descend(section, comparison);
    fmt::print("{} numbers: {} agree, {} differ\n", comparison.compared(),
               comparison.compared() - comparison.failed(), comparison.failed());
    return comparison.failed() == 0 && comparison.compared() > 0 ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", argv[1], e.what());
    return 2;
  }
}
