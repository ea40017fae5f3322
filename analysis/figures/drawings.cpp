// All drawings of a study.
#include <algorithm>
#include <cctype>
#include <set>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

namespace {

// The name of a file: letters, digits, '.', '_' and '-'; another one than those before.
std::string file_name(const std::string& text, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 120;
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? c : '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  name.resize(std::min(name.size(), kLongest));
  const std::string first = name;
  for (int number = 2; !taken.insert(name).second; ++number) name = first + "-" + std::to_string(number);
  return name;
}

template <class T>
bool wanted(const std::vector<std::string>& chosen, const T& name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

}  // namespace

void require_scripts() {
  if (page_files::vega().empty())
    throw OutputError(
        "hearsay was built without the scripts that draw figures; install npm, run script/bootstrap and "
        "build again");
}

Json drawings(const FigureInput& input, const std::string& prefix, const FigureChoice& choice) {
  const std::vector<MetricInfo>& metrics = input.study.head.metrics;
  Json all = Json::array();
  std::set<std::string> taken;
  for (const Figure& figure : figures()) {
    for (std::size_t m = 0; m < (figure.of_metric ? metrics.size() : 1); ++m) {
      for (const Drawing& d : figure.draw(input, m)) {
        const bool of_metric = figure.of_metric && !d.always;
        // Before it is left out: a file has the same name whatever is chosen.
        const std::string file = file_name(prefix + d.name, taken);
        if (!wanted(choice.kinds, figure.name) || (of_metric && !wanted(choice.metrics, metrics[m].name)))
          continue;
        all.push_back(Json{{"figure", figure.name},
                           {"metric", of_metric ? Json(m) : Json()},
                           {"title", d.title},
                           {"caption", d.caption},
                           {"file", file},
                           {"specification", d.specification}});
      }
    }
  }
  return all;
}

}  // namespace hearsay::analysis
