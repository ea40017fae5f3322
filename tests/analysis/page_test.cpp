// The page of an invented study.
#include "analysis/figures/page.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/figures/page_files.hpp"
#include "analysis/store/output_file.hpp"
#include "tests/support/figure_study.hpp"

using namespace hearsay;
using analysis::StudyData;
using nlohmann::json;
using namespace hearsay::test;

namespace {

// The text between two others.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto a = text.find(from);
  REQUIRE(a != std::string::npos);
  return text.substr(a + from.size(), text.find(to, a) - a - from.size());
}

}  // namespace

TEST_CASE("figures: curves show medians and quartiles over repetitions at each sample") {
  const test::Scratch dir;
  const auto drawn = draw(study(dir, {}), "curves", 0);
  REQUIRE(drawn.size() == 1);
  std::set<int> along;
  std::size_t found = 0;
  for (const json& row : rows_of(drawn[0])) {
    along.insert(row.at("k").get<int>());
    // Point 1 (epsilon 1) at iteration 10: 50 + r for r = 0, 1, 2.
    if (row.at("k") == 0 && row.at("x") == 10 && row.at("a0") == "1") {
      ++found;
      CHECK(row.at("m") == 51);
      CHECK(row.at("l") == 50.5);
      CHECK(row.at("h") == 51.5);
    }
  }
  CHECK(found == 1);
  CHECK(along == std::set<int>{0, 1, 2, 3});
  CHECK(drawn[0].against == json{0, 1, 2, 3});
  CHECK(rows_of(drawn[0]).size() == 3u * 4 * 3);
  // 1000 / 1 to 10 / 3 span two decades; the spent budget begins at 0.
  CHECK(spec_of(drawn[0]).at("layer").at(1).at("encoding").at("y").at("scale") == json{{"type", "log"}});
  const auto spent = draw(study(dir, {}), "curves", 1);
  CHECK(spec_of(spent.at(0)).at("layer").at(1).at("encoding").at("y").at("scale") == json{{"zero", false}});
}

TEST_CASE(
    "figures: repetitions with samples at different times are compared by their last value at samples") {
  using Medians = std::vector<std::pair<double, double>>;
  const auto medians = [](const test::Made& made) {
    const test::Scratch dir;
    Medians all;
    for (const json& row : rows_of(draw(study(dir, made), "curves", 0).at(0))) {
      if (row.at("k") == 1) all.emplace_back(row.at("x"), row.at("m"));
    }
    return all;
  };
  // Times 0, 1, 2; 0, 2, 4; 0, 3, 6. After 0, three samples have come at 2; after it two of the two repetitions that go
  // on at 4; then one of one at 6. The last samples: 2, 1, 0 at 2 s, 2, 2, 1 at 4 s. Sample k of repetition r is
  // 1000/(k + 1) + r.
  CHECK(medians({.points = {{"0.1"}}, .ragged = true}) ==
        Medians{{0, 1001}, {2, 501}, {4, 334.3333}, {6, 334.3333}});
  // Times 0, 1 of all; then 2, 2.1, 2.2: the value at 1 s is the one recorded there.
  CHECK(medians({.points = {{"0.1"}}, .end = 0.1}) ==
        Medians{{0, 1001}, {1, 501}, {2.1, 334.3333}, {2.2, 334.3333}});
}

TEST_CASE("figures: final values against each axis, its numbers are logarithmic or linear") {
  const test::Scratch dir;
  const auto drawn = draw(study(dir, {}), "finals", 0);
  REQUIRE(drawn.size() == 1);
  const json rows = rows_of(drawn[0]);
  REQUIRE(rows.size() == 3);
  // Point 2: 10 / 3 + r.
  CHECK(rows[2].at("n0") == 10);
  CHECK(rows[2].at("m").get<double>() == Approx(10.0 / 3 + 1));
  CHECK(rows[2].at("l").get<double>() == Approx(10.0 / 3 + 0.5));
  CHECK(spec_of(drawn[0]).at("layer").at(0).at("encoding").at("x").at("scale").at("type") == "log");
  CHECK(draw(study(dir, {}), "heat_map", 0).empty());
}

TEST_CASE("figures: an axis is logarithmic if that keeps its closest values farther apart") {
  const auto axis = [](std::vector<std::string> labels) {
    return analysis::make_axis("a", labels, plain_number);
  };
  CHECK(axis({"10", "0.1", "1"}).logarithmic);
  CHECK(axis({"10", "0.1", "1"}).labels == std::vector<std::string>{"0.1", "1", "10"});
  CHECK(axis({"1", "100"}).logarithmic);
  CHECK(axis({"0.1", "0.3", "1", "3", "10"}).logarithmic);
  CHECK_FALSE(axis({"1", "2", "3", "4"}).logarithmic);
  CHECK_FALSE(axis({"10", "20", "30", "100", "110"}).logarithmic);
  CHECK_FALSE(axis({"0", "10"}).logarithmic);
  CHECK_FALSE(axis({"0", "1", "2", "3"}).logarithmic);
  // 1 of 200 on a linear scale; places log(1 + x/0.01) = 0, 0.69, 4.62, 5.30: 0.69 of 5.30.
  CHECK(axis({"0", "0.01", "1", "2"}).logarithmic);
  // 0.1 of the width against log(11/10)/log(11) = 0.04.
  CHECK_FALSE(axis({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}).logarithmic);
  CHECK_FALSE(axis({"-1", "1", "10"}).logarithmic);
  CHECK(axis({"ring", "star"}).numbers.empty());
  CHECK_FALSE(axis({}).logarithmic);
  CHECK(axis({"1", "star", "1"}).labels == std::vector<std::string>{"1", "star"});
}

TEST_CASE("figures: a logarithmic axis has a place for 0, one step below the smallest number") {
  const auto axis = analysis::make_axis("a", {"10", "0", "0.1", "1"}, plain_number);
  REQUIRE(axis.logarithmic);
  const test::Scratch dir;
  const auto data = study(dir, {.axes = {"delay"}, .points = {{"0"}, {"0.1"}, {"1"}, {"10"}}});
  const json x = spec_of(draw(data, "finals", 0).at(0)).at("layer").at(0).at("encoding").at("x");
  CHECK(x.at("scale").at("type") == "symlog");
  // The place of x is log(1 + x/0.1), from 0 to log(101); the scale has 3 % of that before and after it.
  CHECK(x.at("scale").at("domain")[0].get<double>() ==
        Approx(0.1 * (std::pow(101, -0.03) - 1)).epsilon(1e-6));
  CHECK(x.at("scale").at("domain")[1].get<double>() == Approx(0.1 * (std::pow(101, 1.03) - 1)).epsilon(1e-6));
  CHECK(x.at("scale").at("constant") == 0.1);
}

TEST_CASE(
    "figures: an axis shows all of its values, whichever have results, a long one some with their units") {
  const auto seconds = [](const std::string& label) { return std::optional(std::stod(label)); };
  analysis::StudyData data;
  data.head.metrics = {{"m", "", "", false}};
  std::vector<std::string> labels;
  for (int k = 0; k < 31; ++k) labels.push_back(fmt::format("{} s", 10 + k));
  data.axes = {analysis::make_axis("latency", labels, seconds)};
  // A study that has just begun: one of the points has results.
  for (const std::string& label : labels) {
    analysis::FigurePoint& point = data.points.emplace_back();
    point.labels = {label};
    point.runs = label == "12 s" ? 1 : 0;
    point.finals = {{{1, point.runs == 1 ? 1 : NAN, 1}}};
  }
  const json drawn = spec_of(draw(data, "finals", 0).at(0));
  CHECK(drawn.at("data").at("values").size() == 1);
  const json x = drawn.at("layer").at(0).at("encoding").at("x");
  // From 10 to 40, and 3 % beside them.
  CHECK(x.at("scale").at("domain")[0] == 9.1);
  CHECK(x.at("scale").at("domain")[1] == 40.9);
  const json& ticks = x.at("axis").at("values");
  CHECK(ticks.size() == 16);
  CHECK(x.at("axis").at("tickCount") == 16);
  CHECK(ticks.front() == 10);
  CHECK(ticks.back() == 40);
  CHECK_THAT(x.at("axis").at("labelExpr").get<std::string>(),
             Catch::Contains(R"(["10 s","12 s",)") && Catch::Contains("[10,12,"));
}

TEST_CASE("figures: a legend lists every value of an axis, in as many columns as its labels leave room for") {
  const test::Scratch dir;
  Made made{.points = {}};
  for (int k = 0; k < 48; ++k) made.points.push_back({fmt::format("a label of 24 letters {}", 10 + k)});
  const json drawn = spec_of(draw(study(dir, made), "curves", 0).at(0));
  const json& legend = drawn.at("layer").at(1).at("encoding").at("color").at("legend");
  CHECK(legend.at("symbolLimit") >= 48);
  // 24 letters of 8 pixels, and 30 for the symbol.
  CHECK(legend.at("columns").at("expr") == "max(1, floor(width / 222))");
}

TEST_CASE("figures: two numeric axes give a heat map, selectors fix the others") {
  const test::Scratch dir;
  Made made{.axes = {"a", "kind", "b"}, .points = {}};
  for (const char* a : {"1", "2"}) {
    for (const char* kind : {"ring", "star"}) {
      for (const char* b : {"5", "6"}) made.points.push_back({a, kind, b});
    }
  }
  const StudyData data = study(dir, made);
  const auto drawn = draw(data, "heat_map", 0);
  REQUIRE(drawn.size() == 1);
  CHECK(rows_of(drawn[0]).size() == 8);
  // A format without a precision gets one digit for 20, 40, 60, and "~g" then writes 2e+1.
  const json legend = spec_of(drawn[0]).at("layer").at(0).at("encoding").at("color").at("legend");
  CHECK_FALSE(legend.contains("format"));
  CHECK_THAT(legend.at("labelExpr").get<std::string>(), Catch::Contains("format(datum.value, '.6~g')"));
  REQUIRE(spec_of(drawn[0]).at("params").size() == 1);
  CHECK(spec_of(drawn[0]).at("params")[0].at("bind").at("options") == json{"ring", "star"});
  CHECK(draw(data, "finals", 0).size() == 3);
}

TEST_CASE("figures: each agent has its median, of many agents some are shown, in order") {
  const test::Scratch dir;
  const auto drawn = draw(study(dir, {}), "agents", 1);
  REQUIRE(drawn.size() == 1);
  // Owner 1 is agent 2: at sample 2, 2 (2 + r) / 100.
  const json rows = rows_of(drawn[0]);
  REQUIRE(rows.size() == 6);
  CHECK(rows[1].at("a") == 2);
  CHECK(rows[1].at("m") == 0.06);
  CHECK(rows[1].at("l") == 0.05);
  CHECK(draw(study(dir, {}), "agents", 0).empty());

  const test::Scratch crowd;
  const StudyData many = study(crowd, {.points = {{"1"}}, .owners = 300}, {.agents = 4});
  const json some = rows_of(draw(many, "agents", 1).at(0));
  REQUIRE(some.size() == 4);
  CHECK(some[0].at("m") == 0.03);
  CHECK(some[3].at("m") == 9);
  CHECK(many.omitted == std::vector<std::string>{"4 of 300 agents, evenly spaced in order of their value"});
}

TEST_CASE("figures: a large study is thinned to a bound, and the omissions are listed") {
  const test::Scratch dir;
  Made made{.points = {}, .repetitions = 1, .samples = 1000};
  for (int p = 0; p < 30; ++p) made.points.push_back({fmt::format("{}", p)});
  const StudyData data = study(dir, made, {.points = 20, .curves = 5, .samples = 50});
  const json rows = rows_of(draw(data, "curves", 0).at(0));
  // Points 0, 7, 14, 21 and 29 have curves; points beyond the 20th are left out.
  CHECK(rows.size() == 3u * 50 * 4);
  CHECK(rows.front().at("x") == 0);
  CHECK(rows[49].at("x") == 9990);
  CHECK(data.points.size() == 20);
  CHECK(data.omitted == std::vector<std::string>{"curves of 5 of 30 points, evenly spaced",
                                                 "50 of up to 1000 samples of a run, evenly spaced",
                                                 "values of each agent at 24 of 30 points",
                                                 "the first 20 of 30 points"});
}

TEST_CASE("page: infinite values are in its table, and figures say what they do not draw") {
  StudyData data;
  data.head.metrics = {{"objective", "", ""}};
  data.head.axes = {"x"};
  data.axes = {{.name = "x", .labels = {"1", "2"}, .numbers = {1, 2}}};
  data.points.resize(2);
  for (std::size_t p = 0; p < 2; ++p) {
    data.points[p].labels = {p == 0 ? "1" : "2"};
    data.points[p].runs = 5;
    // Quartiles [2, 4, inf], and three that are infinite.
    const double x = p == 0 ? 1 : HUGE_VAL;
    data.points[p].finals = {analysis::statistics_of({1 * x, 2 * x, 4 * x, HUGE_VAL, HUGE_VAL})};
  }
  const auto drawn = draw(data, "finals", 0).at(0);
  CHECK_THAT(drawn.caption, Catch::Contains(" Intervals that reach infinity are not drawn.") &&
                                Catch::Contains(" Not drawn: 1 point without a finite value."));
  REQUIRE(rows_of(drawn).size() == 1);
  CHECK(rows_of(drawn)[0].at("m") == 4);
  CHECK(rows_of(drawn)[0].at("l").is_null());
  const json spec = spec_of(drawn);
  for (const json& layer : spec.at("layer")) CHECK_FALSE(layer.at("encoding").contains("y2"));
  if (analysis::page_files().at(analysis::kVega[0]).empty()) {
    WARN("skipped: built without the scripts that draw figures");
    return;
  }
  const std::string page = analysis::page(data, std::nullopt, {});
  CHECK_THAT(page, Catch::Contains("<td>4 <span class=\"spread\">[2, inf]</span></td>") &&
                       Catch::Contains("<td>inf <span class=\"spread\">[inf, inf]</span></td>"));
}

TEST_CASE("page: shows the numbers, escapes text of the user, and loads nothing") {
  if (analysis::page_files().at(analysis::kVega[0]).empty()) {
    WARN("skipped: built without the scripts that draw figures");
    return;
  }
  const test::Scratch dir;
  const StudyData data =
      study(dir, {.axes = {"<i>"}, .points = {{"</script><script>alert(1)</script>"}, {"\"&'"}}});
  const std::string page = analysis::page(data, std::nullopt,
                                          {.title = "<b>title</b>",
                                           .description = "a & b",
                                           .statements = {"not for release"},
                                           .reproduce = {{"command", "hearsay run 'x' --set a=\"<\""}},
                                           .unaccounted = {"pca <1>"},
                                           .notes = {},
                                           .scenario = "{\"name\": \"</pre>\"}"});
  for (const char* text :
       {"<title>&lt;b&gt;title&lt;/b&gt;</title>", "<p>a &amp; b</p>", "not for release",
        "hearsay run &#39;x&#39; --set a=&quot;&lt;&quot;", "pca &lt;1&gt;", "&lt;/pre&gt;",
        "<th>&lt;i&gt;</th>", "<td>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;</td>"}) {
    INFO(text);
    CHECK(page.find(text) != std::string::npos);
  }
  // The notices of what the minified scripts contain, and a text of each license.
  for (const char* text : {"Interactive Data Lab", "Jason Davies", "Robert Penner", "Ariya Hidayat",
                           "Mike Bostock", "Observable", "Mapbox", "Isaac Z. Schlueter", "Joachim Wester",
                           "Simon Lydell", "Charles Karney", "Cynthia Brewer", "Permission is hereby granted",
                           "Permission to use, copy, modify", "Redistributions in binary form"}) {
    INFO(text);
    CHECK(page.find(text) != std::string::npos);
  }
  // Point 0 at the end: 1000 / 3 + r; the baseline below it.
  CHECK(page.find("<td>334.3 <span class=\"spread\">[333.8, 334.8]</span></td>") != std::string::npos);
  CHECK(page.find("<td>pooled</td><td>0.125</td>") != std::string::npos);
  CHECK(page.find("<b>title") == std::string::npos);
  CHECK(page.find("<script>alert") == std::string::npos);
  const json report = json::parse(between(page, "id=\"figures\">", "</script>"));
  CHECK(report.at("metrics") == json{"objective", "epsilon_spent_by_owner"});
  CHECK(report.at("study").at("points").size() == 2);
  CHECK(page.find("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';") !=
        std::string::npos);
  // Outside of scripts there is no address or file to load.
  std::string rest = page;
  for (auto a = rest.find("<script"); a != std::string::npos; a = rest.find("<script"))
    rest.erase(a, rest.find("</script>", a) + 9 - a);
  rest.erase(rest.find("<!-- Vega"), rest.find("-->") - rest.find("<!-- Vega"));
  for (const char* load : {"src=", "href=", "url(", "@import", "http:", "https:"}) {
    INFO(load);
    CHECK(rest.find(load) == std::string::npos);
  }
}
