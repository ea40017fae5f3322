// What figures say of an invented study, worked out by hand.
#include <catch2/catch.hpp>

#include <cmath>
#include <set>

#include "tests/support/figure_study.hpp"

using namespace hearsay;
using analysis::StudyData;
using nlohmann::json;
using namespace hearsay::test;

namespace {

using Places = std::vector<std::pair<double, double>>;

// Where the nodes of a network are drawn.
Places places(const analysis::NetworkGraph& network) {
  StudyData data;
  data.head.metrics = {{"objective", "", ""}};
  data.networks = {network};
  data.points.resize(1);
  data.points[0].network = 0;
  Places all;
  for (const json& row : rows_of(draw(data, "network", 0).at(0))) all.emplace_back(row.at("x"), row.at("y"));
  return all;
}

double length(const std::pair<double, double>& a, const std::pair<double, double>& b) {
  return std::hypot(a.first - b.first, a.second - b.second);
}

}  // namespace

TEST_CASE("figures: means with Student's 95 % interval are beside medians with quartiles") {
  // 1, 2, 6: mean 3, s = sqrt(7), and t(0.975, 2) = 4.302653: 3 +- 4.302653 sqrt(7/3).
  const auto three = analysis::statistics_of({1, 6, 2, NAN});
  CHECK(three.median == 2);
  CHECK(three.mean == 3);
  CHECK(three.mean_high == Approx(3 + 4.302653 * std::sqrt(7.0 / 3)).epsilon(1e-6));
  CHECK(three.mean_low == Approx(3 - 4.302653 * std::sqrt(7.0 / 3)).epsilon(1e-6));
  const auto single = analysis::statistics_of({4});
  CHECK(single.mean == 4);
  CHECK(std::isnan(single.mean_low));
  CHECK(std::isnan(single.mean_high));
  CHECK(std::isnan(analysis::statistics_of({}).mean));
  const test::Scratch dir;
  // 50 + r at point 1 and iteration 10: mean 51, s = 1.
  for (const json& row : rows_of(draw(study(dir, {}), "curves", 0).at(0))) {
    if (row.at("k") != 0 || row.at("x") != 10 || row.at("a0") != "1") continue;
    CHECK(row.at("e") == 51);
    CHECK(row.at("g").get<double>() == Approx(51 + 4.302653 / std::sqrt(3.0)).epsilon(1e-6));
  }
}

TEST_CASE("figures: the mean of one repetition has no interval, and the caption says so") {
  const test::Scratch dir;
  // 1000/2 at the end.
  json tables = analysis::figure_data(study(dir, {.repetitions = 1, .samples = 2}), {}, "");
  json& points = tables.at("study").at("points");
  CHECK(points.at(0).at("ends").at(0) == json::parse("[500, 500, 500, 500, null, null]"));
  const auto finals = [&] {
    const auto found = drawings_of(analysis::json_text(tables), "{ mean: true, scale: 'logarithmic' }");
    return *std::ranges::find_if(found, [](const json& d) { return d.at("figure") == "finals"; });
  };
  const auto has_bars = [](const json& drawing) {
    return std::ranges::any_of(drawing.at("specification").at("layer"),
                               [](const json& layer) { return layer.at("encoding").contains("y2"); });
  };
  const json single = finals();
  CHECK_FALSE(has_bars(single));
  CHECK_THAT(single.at("caption").get<std::string>(),
             Catch::Contains("bar: 95 % interval of the mean, none where there is one number."));
  CHECK_THAT(single.dump(), !Catch::Contains("95 % interval from"));
  // Where another point has an interval, that of the first is not cut to the smallest value shown.
  points[1]["ends"][0] = {50, 40, 60, 50, 30, 70};
  const json mixed = finals();
  CHECK(has_bars(mixed));
  CHECK(mixed.at("specification").at("layer").at(0).at("transform").at(1).at("calculate") ==
        "isValid(datum.f) ? datum.f > 0 ? datum.f : 2.5 : null");
}

TEST_CASE(
    "figures: curves open with the axis that samples are equally spaced on, and can be against messages") {
  const test::Scratch dir, other;
  const auto by_bytes = draw(study(dir, {.every = "bytes", .messages = 7}), "curves", 0);
  const json spec = spec_of(by_bytes.at(0));
  CHECK(spec.at("params").back().at("value") == 3);
  CHECK(by_bytes[0].against == json{0, 1, 2, 3, 4});
  CHECK(spec.at("layer").at(1).at("encoding").at("x").at("title") == "bytes");
  std::set<double> messages;
  for (const json& row : rows_of(by_bytes[0])) {
    if (row.at("k") == 4) messages.insert(row.at("x").get<double>());
  }
  CHECK(messages == std::set<double>{0, 7, 14});
  const json standard = spec_of(draw(study(other, {}), "curves", 0).at(0));
  CHECK(standard.at("layer").at(1).at("encoding").at("x").at("title") == "iteration");
}

TEST_CASE("figures: a baseline is one line across, for owners, a mark beside each bar") {
  const test::Scratch dir;
  const StudyData data = study(dir, {.points = {{"1"}, {"2"}}, .names = {"north", "south"}});
  for (const char* figure : {"curves", "finals"}) {
    const json spec = spec_of(draw(data, figure, 0).at(0));
    std::size_t lines = 0;
    for (const json& layer : spec.at("layer")) {
      if (!layer.contains("data")) continue;
      ++lines;
      CHECK(layer.at("data").at("values") == json::parse(R"([{"b": "pooled", "v": 0.125}])"));
      CHECK(layer.at("mark").at("type") == "rule");
    }
    CHECK(lines == 1);
  }
  const auto drawn = draw(data, "agents", 1);
  CHECK(rows_of(drawn.at(0))[1].at("n") == "south");
  CHECK(rows_of(drawn[0])[1].at("isolated") == 0.025);
  CHECK(spec_of(drawn[0]).at("layer").at(2).at("transform").at(0).at("fold") == json{"isolated"});
}

TEST_CASE("figures: an owner gains what its isolated model exceeds the metric by") {
  const test::Scratch dir;
  // Point 0 ends at 1000/3 + r, so that both owners gain 1000 - 1000/3 - r. Of epsilon owner 0 has (2 + r)/100 and
  // gains 0.025 - 0.02 - r/100 = 0.005, -0.005, -0.015; owner 1 has twice the first and loses.
  const StudyData data = study(dir, {.points = {{"1"}}, .names = {"north", "south"}});
  const json joint = rows_of(draw(data, "gains", 0).at(0));
  REQUIRE(joint.size() == 2);
  CHECK(joint[1].at("n") == "south");
  CHECK(joint[1].at("m").get<double>() == Approx(1000 - 1000.0 / 3 - 1));
  CHECK(data.points[0].by_owner[0].counts.significant == 2);
  const json own = rows_of(draw(data, "gains", 1).at(0));
  CHECK(own[0].at("m").get<double>() == Approx(-0.005));
  CHECK(own[0].at("h").get<double>() == Approx(0).margin(1e-12));
  CHECK(own[1].at("e").get<double>() == Approx(0.025 - 0.06));
  const auto& counts = data.points[0].by_owner[1].counts;
  CHECK(counts.owners == 2);
  CHECK(counts.gain == 0);
  // t(0.975, 2) s/sqrt(3): 0.0248 around -0.005, twice that around -0.035.
  CHECK(counts.lose == 0);
}

TEST_CASE("figures: points at one place are moved aside by less than half of the smallest step") {
  const test::Scratch dir;
  Made made{.axes = {"x", "kind"}, .points = {}};
  for (const char* x : {"1", "2", "9"}) {
    for (const char* kind : {"ring", "star", "grid"}) made.points.push_back({x, kind});
  }
  const json rows = rows_of(draw(study(dir, made), "finals", 0).at(0));
  REQUIRE(rows.size() == 9);
  // 1 % of the width 8 is 0.08; the middle one stays.
  CHECK(rows[0].at("d0").get<double>() == Approx(0.92));
  CHECK(rows[1].at("d0").get<double>() == Approx(1));
  CHECK(rows[2].at("d0").get<double>() == Approx(1.08));
  CHECK(rows[5].at("d0").get<double>() == Approx(2.08));
}

TEST_CASE("figures: the network shows each agent's value where it is, and agents without one") {
  const test::Scratch dir;
  StudyData data = study(dir, {.points = {{"1"}}, .names = {"north", "south"}});
  CHECK(draw(data, "network", 0).empty());
  const auto drawn = draw(data, "network", 1);
  const json rows = rows_of(drawn.at(0));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("n") == "learner");
  CHECK_FALSE(rows[0].contains("m"));
  CHECK(rows[0].at("degree") == 2);
  CHECK(rows[2].at("n") == "south");
  CHECK(rows[2].at("m") == 0.06);
  CHECK(rows[2].at("y") == 1);
  CHECK(spec_of(drawn[0]).at("layer").at(0).at("data").at("values").size() == 2);
  data.networks.at(0).nodes.at(0).name = "DE";
  CHECK(rows_of(draw(data, "network", 1).at(0))[0].at("n") == "learner at DE");
}

TEST_CASE("figures: a network has its own links, and the name of its point where others are not shown") {
  const test::Scratch dir;
  StudyData data = study(dir, {.points = {{"1"}, {"2"}}, .names = {"north", "south"}});
  data.networks.push_back(data.networks.at(0));
  data.networks[0].links = {{0, 1}};
  data.networks[1].links = {{0, 1}, {0, 2}, {1, 2}};
  data.points.at(1).network = 1;
  const auto links = [](const Drawing& drawing) {
    return spec_of(drawing).at("layer").at(0).at("data").at("values").size();
  };
  CHECK(links(draw(data, "network", 1).at(0)) == 4);
  CHECK_THAT(draw(data, "network", 1)[0].caption, !Catch::Contains(" At "));
  // The second has no run.
  data.points[1].by_owner.at(1).values.clear();
  const auto drawn = draw(data, "network", 1);
  CHECK(links(drawn.at(0)) == 1);
  CHECK_THAT(drawn[0].caption, Catch::Contains(" At privacy.epsilon = 1."));
  CHECK_THAT(drawn[0].caption, !Catch::Contains("repetition 0"));
  data.redrawn = true;
  CHECK_THAT(draw(data, "network", 1)[0].caption, Catch::Contains(" Network of repetition 0"));
}

TEST_CASE("figures: the traced point has its network, however many points there are") {
  const test::Scratch dir;
  CHECK_FALSE(study(dir, {.names = {"north", "south"}}, {.agent_points = 2}).points.at(1).network);
  analysis::StoredStudy stored(dir.path());
  const StudyData data = analysis::gather(stored, plain_number, {.agent_points = 2}, {}, 1);
  CHECK(data.points.at(1).network);
}

TEST_CASE("figures: means are shown with means of baselines, and a cut interval is noted") {
  StudyData data;
  data.head.metrics = {{"objective", "", ""}};
  data.head.axes = {"x"};
  data.axes = {{.name = "x", .labels = {"1", "2"}, .numbers = {1, 2}}};
  data.points.resize(2);
  for (std::size_t p = 0; p < 2; ++p) {
    // Medians 4 and 800, means 6 and 900, of which the first has an interval from -1 on.
    data.points[p].labels = {p == 0 ? "1" : "2"};
    data.points[p].finals = {{{p == 0 ? 1.0 : 700, p == 0 ? 4.0 : 800, p == 0 ? 8.0 : 900}}};
    analysis::Statistics& s = data.points[p].finals[0];
    s.mean = p == 0 ? 6 : 900, s.mean_low = p == 0 ? -1 : 700, s.mean_high = p == 0 ? 13 : 1100;
    data.points[p].baselines = {{"pooled", {1}}};
    data.points[p].baseline_means = {{"pooled", {2}}};
  }
  json tables = analysis::figure_data(data, {}, "");
  const auto drawn = [&](const char* shown) {
    const auto found = drawings_of(analysis::json_text(tables), shown);
    return *std::ranges::find_if(found, [](const json& d) { return d.at("figure") == "finals"; });
  };
  const auto baseline = [](const json& drawing) {
    for (const json& layer : drawing.at("specification").at("layer"))
      if (layer.contains("data")) return layer["data"].at("values");
    return json();
  };
  const json medians = drawn("{}"), means = drawn("{ mean: true }");
  CHECK(baseline(medians) == json::parse(R"([{"b": "pooled", "v": 1.0}])"));
  CHECK_THAT(medians.at("caption").get<std::string>(),
             !Catch::Contains(" are cut") && Catch::Contains(" Dashed: baselines"));
  // The lower quartile 1 is not moved to half of the smallest median, 4: what reaches 0 would be, to half of 1.
  CHECK(medians.at("specification").at("layer").at(0).at("transform").at(1).at("calculate") ==
        "isValid(datum.l) ? datum.l > 0 ? datum.l : 0.5 : null");
  CHECK(baseline(means) == json::parse(R"([{"b": "pooled", "v": 2.0}])"));
  CHECK_THAT(means.at("caption").get<std::string>(),
             Catch::Contains(" Intervals that reach 0 or below are cut at 3."));
  // Baselines that differ between points are marks, and one of 0 has no place on a logarithmic scale.
  tables.at("study").at("points").at(1).at("baselines").at(0).at(1).at(0) = 0;
  CHECK_THAT(drawn("{}").at("caption").get<std::string>(),
             !Catch::Contains("Dashed") && Catch::Contains(" Strokes or crosses: baselines") &&
                 Catch::Contains(" Baselines of 0 or below are not shown."));
}

TEST_CASE("figures: an agent without a value does not make a scale linear") {
  StudyData data;
  data.head.metrics = {{"own_error", "", "", true}};
  data.points.resize(1);
  data.points[0].by_owner.resize(1);
  // 0.003 to 17 are more than two decades; the third has no test records.
  for (const double x : {0.003, 17.0, std::nan("")}) data.points[0].by_owner[0].values.push_back({{x, x, x}});
  const auto drawn = draw(data, "agents", 0).at(0);
  CHECK(spec_of(drawn).at("layer").at(0).at("mark").at("type") == "point");
  CHECK_THAT(drawn.caption, !Catch::Contains("not shown"));
}

TEST_CASE("figures: an option with one value, such as --at leaves, is in every caption") {
  const test::Scratch dir;
  const StudyData data = study(dir, {.points = {{"0.5"}}, .names = {"north", "south"}});
  for (const char* figure : {"curves", "agents", "network"})
    CHECK_THAT(draw(data, figure, 1).at(0).caption, Catch::EndsWith(" At privacy.epsilon = 0.5."));
}

TEST_CASE("figures: of a point with many owners bars have their ranks, those of other points their agents") {
  const test::Scratch dir;
  StudyData data = study(dir, {.points = {{"1"}, {"2"}}, .owners = 7}, {.agents = 7});
  data.limits.agents = 3;
  data.points.at(1).by_owner.at(1).values.resize(2);
  const auto drawn = draw(data, "agents", 1);
  std::vector<std::string> all;
  for (const json& row : rows_of(drawn.at(0)))
    all.push_back(fmt::format("{} {}", row.at("a0").get<std::string>(), row.at("a").get<int>()));
  CHECK(all == std::vector<std::string>{"1 1", "1 4", "1 7", "2 1", "2 2"});
  const json encoding = spec_of(drawn[0]).at("layer").at(0).at("encoding");
  CHECK(encoding.at("x").at("title") == "agent, or rank where there are many");
}

TEST_CASE("figures: what an adversary sees by distance names it by its node in the graph") {
  const test::Scratch dir;
  StudyData data = study(dir, {.points = {{"1"}}, .names = {"north", "south"}});
  data.head.metrics.at(0).name = "epsilon_seen";
  for (const char* adversary : {"agents:1+2", "everybody"}) {
    for (const double distance : {1.0, 2.0})
      data.points[0].seen.push_back(
          {.adversary = adversary, .distance = distance, .epsilon = {{1, 1, 1}}, .ledger = {{2, 2, 2}}});
  }
  const auto names = [&] {
    std::set<std::string> all;
    for (const json& row : rows_of(draw(data, "distance", 0).at(0))) all.insert(row.at("w"));
    return all;
  };
  CHECK(names() == std::set<std::string>{"agents:1+2", "everybody"});
  data.networks.at(0).nodes.at(1).name = "Oslo";
  CHECK(names() == std::set<std::string>{"agents:Oslo+2", "everybody"});
}

TEST_CASE("layout: positions of the graph stay, a hub is the centre of a circle") {
  CHECK(places({.nodes = {{"Paris", 2.5, 48.5}, {"Rome", 12.5, 42}}, .links = {{0, 1}}})[1].first == 12.5);
  analysis::NetworkGraph star;
  star.nodes.resize(9);
  for (sim::AgentId i = 0; i < 9; ++i) {
    if (i != 4) star.links.push_back({.source = std::min(i, 4u), .target = std::max(i, 4u)});
  }
  const Places at = places(star);
  for (std::size_t i = 0; i < 9; ++i) {
    if (i != 4) CHECK(length(at[i], at[4]) == Approx(0.5));
  }
}

TEST_CASE("layout: on a ring, neighbours are nearer than opposite nodes, and no two coincide") {
  analysis::NetworkGraph ring;
  ring.nodes.resize(12);
  for (sim::AgentId i = 0; i < 12; ++i)
    ring.links.push_back({.source = std::min(i, (i + 1) % 12), .target = std::max(i, (i + 1) % 12)});
  const Places at = places(ring);
  for (std::size_t i = 0; i < 12; ++i) {
    const double next = length(at[i], at[(i + 1) % 12]);
    CHECK(next > 0.02);
    CHECK(next < 0.6 * length(at[i], at[(i + 6) % 12]));
  }
}

TEST_CASE("figures: bounds on the mean are lines beside the measured values, where they apply") {
  const test::Scratch dir;
  StudyData data = study(dir, {});
  dir.write("bounds.csv",
            "privacy.epsilon,bound,of,value,mean,median\n"
            "0.1,cost_of_privacy_11,objective,40,0,0\n1,cost_of_privacy_11,objective,nan,0,0\n"
            "10,cost_of_privacy_11,objective,4,0,0\n"
            "0.1,\"closed, form\",objective,30,0,0\n1,\"closed, form\",objective,20,0,0\n"
            "10,\"closed, form\",objective,10,0,0\n");
  analysis::add_bounds(data, dir.path() / "bounds.csv");
  const auto drawing = draw(data, "finals", 0).at(0);
  CHECK_THAT(drawing.caption, Catch::Contains("bounds on the mean"));
  json bounds;
  const json spec = spec_of(drawing);
  for (const json& layer : spec.at("layer")) {
    if (layer.at("encoding").contains("detail")) bounds = layer.at("data").at("values");
  }
  std::set<std::tuple<std::string, std::string, double>> found;
  for (const json& row : bounds)
    found.emplace(row.at("b").get<std::string>(), row.at("a0").get<std::string>(), row.at("v").get<double>());
  CHECK(found == std::set<std::tuple<std::string, std::string, double>>{{"cost_of_privacy_11", "0.1", 40},
                                                                        {"cost_of_privacy_11", "10", 4},
                                                                        {"closed, form", "0.1", 30},
                                                                        {"closed, form", "1", 20},
                                                                        {"closed, form", "10", 10}});
  // Of another metric there are none, and a table of another study is left alone.
  const json other = spec_of(draw(data, "finals", 1).at(0));
  for (const json& layer : other.at("layer")) CHECK_FALSE(layer.at("encoding").contains("detail"));
  StudyData again = study(test::Scratch(), {});
  dir.write("bounds.csv", "privacy.epsilon,bound,of,value,mean,median\n0.1,x,objective,40,0,0\n");
  analysis::add_bounds(again, dir.path() / "bounds.csv");
  CHECK(again.points.at(0).bounds.empty());
}

TEST_CASE(
    "figures: the break-even line of a map separates points at which owners gain on average from others") {
  const test::Scratch dir;
  // The objective ends at 1000 / 10^p / 3 + 1 on average; the isolated one is 1000, so that all points pay. Of epsilon both
  // owners' mean is 0.045, above the isolated 0.025: none pays.
  Made made{.axes = {"x", "y"}, .points = {}, .names = {"north", "south"}};
  for (const char* x : {"1", "2", "3"}) {
    for (const char* y : {"5", "6"}) made.points.push_back({x, y});
  }
  StudyData data = study(dir, made);
  CHECK(data.points[0].by_owner[0].counts.mean == Approx(1000 - 1000.0 / 3 - 1));
  CHECK(data.points[5].by_owner[1].counts.mean == Approx(0.025 - 0.045));
  const auto layers = [&](const char* name) {
    json all = json::array();
    const json spec = spec_of(draw(data, "heat_map", 0).at(0));
    for (const json& layer : spec.at("layer")) {
      if (layer.value("name", "") == name) all = layer.at("data").at("values");
    }
    return all;
  };
  CHECK(layers("break_even_right").empty());
  CHECK_THAT(draw(data, "heat_map", 0).at(0).caption, Catch::Contains("in all cells with a value"));
  CHECK_THAT(draw(data, "heat_map", 1).at(0).caption, Catch::Contains("in no cell"));
  // It pays at (1, 5) and (1, 6), and at (2, 6): the line leads along the right of (1, 5), the top of (2, 5) and the right
  // of (2, 6).
  for (const std::size_t p : {2u, 4u, 5u}) data.points[p].by_owner[0].counts.mean = -1;
  const json edges = layers("break_even_right");
  CHECK(edges ==
        json::parse(R"([{"a0": "1", "a1": "5", "edge": "right"}, {"a0": "2", "a1": "5", "edge": "top"},
                                 {"a0": "2", "a1": "6", "edge": "right"}])"));
  CHECK(layers("paying").size() == 3);
}

TEST_CASE("figures: cells that pay are marked where they do at some values of a third option") {
  const test::Scratch dir;
  Made made{.axes = {"x", "y", "kind"}, .points = {}, .names = {"north", "south"}};
  for (const char* x : {"1", "2"}) {
    for (const char* y : {"5", "6"}) {
      for (const char* kind : {"ring", "star"}) made.points.push_back({x, y, kind});
    }
  }
  StudyData data = study(dir, made);
  for (std::size_t p = 0; p < 8; ++p) data.points[p].by_owner[0].counts.mean = p % 2 == 0 ? -1 : 1;
  const auto drawn = draw(data, "heat_map", 0).at(0);
  CHECK_THAT(drawn.caption, Catch::Contains(" in cells with a +."));
  const json spec = spec_of(drawn);
  const json& marked = spec.at("layer").back();
  CHECK(marked.at("name") == "paying");
  REQUIRE(marked.at("data").at("values").size() == 4);
  for (const json& cell : marked.at("data").at("values")) CHECK(cell.at("a2") == "star");
}

namespace {

// Panels of the invented study over three axes: delay 0, 0.01, 10; kind star, ring; net b, a.
json panels(const analysis::PanelAxes& axes, std::string* caption = nullptr) {
  const test::Scratch dir;
  Made made{.axes = {"delay", "kind", "the.net"}, .points = {}};
  for (const char* delay : {"0", "0.01", "10"}) {
    for (const char* kind : {"star", "ring"}) {
      for (const char* net : {"b", "a"}) made.points.push_back({delay, kind, net});
    }
  }
  const auto drawn = draw(study(dir, made), "panels", 0, {}, {.panels = axes});
  REQUIRE(drawn.size() == 1);
  if (caption != nullptr) *caption = drawn[0].caption;
  return spec_of(drawn[0]);
}

}  // namespace

TEST_CASE("figures: panels have the points of one value each, all series, and the same scales") {
  std::string caption;
  const json spec = panels({.x = 0, .facet = 2, .series = 1}, &caption);
  CHECK_THAT(caption,
             Catch::Contains("median over 3 repetitions") && Catch::Contains("A panel for each the.net."));
  CHECK(spec.at("columns") == 2);
  for (const char* scale : {"x", "y", "color"}) CHECK(spec.at("resolve").at("scale").at(scale) == "shared");
  // In the order of the sweep.
  REQUIRE(spec.at("concat").size() == 2);
  CHECK(spec["concat"][0].at("title").at("text") == json{"the.net =\u00a0b"});
  CHECK(spec["concat"][1].at("title").at("text") == json{"the.net =\u00a0a"});
  for (std::size_t panel = 0; panel < 2; ++panel) {
    const json rows = spec["concat"][panel].at("data").at("values");
    REQUIRE(rows.size() == 6);
    // Points of this panel are 0, 2, ... or 1, 3, ...: point p ends at 1000 / 10^p / 3 + r, r = 0, 1, 2.
    for (std::size_t k = 0; k < 6; ++k) {
      CHECK(rows[k].at("m").get<double>() == Approx(1000 / std::pow(10.0, 2 * k + panel) / 3 + 1));
      CHECK(rows[k].at("l").get<double>() == Approx(1000 / std::pow(10.0, 2 * k + panel) / 3 + 0.5));
      CHECK(rows[k].at("a1") == (k % 2 == 0 ? "star" : "ring"));
    }
    const json& encoding = spec["concat"][panel].at("layer").at(1).at("encoding");
    CHECK(encoding.at("color").at("scale").at("domain") == json{"star", "ring"});
    // 0 has a place, and no label is left out.
    CHECK(encoding.at("x").at("scale").at("type") == "symlog");
    CHECK(encoding.at("x").at("axis").at("values") == json{0, 0.01, 10});
    CHECK(encoding.at("x").at("axis").at("labelAngle") == 0);
  }
}

TEST_CASE(
    "figures: an axis of names is drawn in the order of the sweep, one of a single number as its label") {
  const json spec = panels({.x = 1, .facet = 0, .series = 2});
  REQUIRE(spec.at("concat").size() == 3);
  const json& layers = spec["concat"][0].at("layer");
  const json& x = layers.at(0).at("encoding").at("x");
  CHECK(x.at("type") == "ordinal");
  CHECK(x.at("sort") == json{"star", "ring"});
  CHECK(layers.at(0).at("encoding").at("xOffset").at("sort") == json{"b", "a"});
  // No line between names.
  CHECK(std::none_of(layers.begin(), layers.end(),
                     [](const json& l) { return l.at("mark").at("type") == "line"; }));

  const test::Scratch dir;
  const auto data = study(dir, {.points = {{"0.5"}}});
  const json one = spec_of(draw(data, "panels", 0, {}, {.panels = analysis::PanelAxes{0}}).at(0));
  REQUIRE(one.at("concat").size() == 1);
  CHECK(one["concat"][0].at("layer").at(0).at("encoding").at("x").at("type") == "ordinal");
  CHECK(one["concat"][0].at("data").at("values").at(0).at("a0") == "0.5");
}

TEST_CASE("figures: labels that would overlap are drawn at an angle") {
  const test::Scratch dir;
  Made made{.axes = {"delay", "net"}, .points = {}};
  for (const char* delay : {"0", "0.1", "0.15", "100"}) {
    for (const char* net : {"a", "b", "c", "d", "e"}) made.points.push_back({delay, net});
  }
  const auto data = study(dir, made);
  const auto angle = [&](const analysis::PanelAxes& axes) {
    const json spec = spec_of(draw(data, "panels", 0, {}, {.panels = axes}).at(0));
    return spec.at("concat")
        .back()
        .at("layer")
        .at(0)
        .at("encoding")
        .at("x")
        .at("axis")
        .at("labelAngle")
        .get<int>();
  };
  // Places log(1 + x/0.1): 0.69 and 0.92 of 6.9. On about 600 pixels 20 apart, with labels of 21 and 28 pixels; five
  // letters have room.
  CHECK(angle({.x = 0, .series = 1}) == -40);
  CHECK(angle({.x = 1, .series = 0}) == 0);
}
