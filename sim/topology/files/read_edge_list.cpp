#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "sim/topology/files/raw_graph.hpp"

namespace hearsay::sim {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

class Reader {
 public:
  explicit Reader(const GraphFile& options) : options_(options) {}

  void line(std::string_view text, std::size_t number, char delimiter) {
    split(text, number, delimiter);
    if (!columns_known_) {
      columns_known_ = true;
      if (take_names(number)) return;
    }
    const auto field = [&](std::size_t column) {
      return column < fields_.size() ? fields_[column] : std::string();
    };
    if (fields_.size() <= std::max(source_, target_) || field(source_).empty() || field(target_).empty())
      throw TopologyError("line {}: expected two nodes, found '{}'", number, one_line(text));
    if (named_ ? fields_.size() > width_ : fields_.size() > 4)
      throw TopologyError("line {}: expected at most {} fields, found {}", number, named_ ? width_ : 4,
                          fields_.size());
    const AgentId a = node(field(source_)), b = node(field(target_));
    graph_.edges.push_back({a, b, field(weight_), field(latency_)});
  }
  RawGraph take() {
    sort_by_name(graph_);
    return std::move(graph_);
  }

 private:
  void split(std::string_view text, std::size_t number, char delimiter) {
    fields_.clear();
    if (delimiter == ' ') {
      constexpr std::string_view kBlank = " \t";
      for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
        fields_.emplace_back(text.substr(at, end - at));
        at = text.find_first_not_of(kBlank, end);
      }
      return;
    }
    csv_parser csv;
    if (csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    csv_set_delim(&csv, static_cast<unsigned char>(delimiter));
    const auto add = [](void* field, std::size_t size, void* all) {
      static_cast<std::vector<std::string>*>(all)->emplace_back(static_cast<const char*>(field), size);
    };
    bool right = csv_parse(&csv, text.data(), text.size(), add, nullptr, &fields_) == text.size();
    right = csv_fini(&csv, add, nullptr, &fields_) == 0 && right;
    csv_free(&csv);
    if (!right) throw TopologyError("line {}: expected a closing quote", number);
  }

  // Whether the line names the columns: one is called source and another target.
  bool take_names(std::size_t number) {
    const auto column = [&](std::string_view name) {
      const auto found =
          std::find_if(fields_.begin(), fields_.end(), [&](const auto& f) { return same_name(f, name); });
      return found == fields_.end() ? kNone : static_cast<std::size_t>(found - fields_.begin());
    };
    const std::size_t source = column("source"), target = column("target");
    if (source == kNone && target == kNone) return false;
    if (source == kNone || target == kNone)
      throw TopologyError("line {}: expected the columns source and target, found only one of them", number);
    named_ = true;
    width_ = fields_.size();
    source_ = source;
    target_ = target;
    weight_ = column(options_.weight);
    latency_ = column(options_.latency);
    return true;
  }

  AgentId node(const std::string& name) {
    const auto [at, is_new] = number_.try_emplace(name, static_cast<AgentId>(graph_.nodes.size()));
    if (is_new) graph_.nodes.push_back({.name = one_line(name)});
    return at->second;
  }

  const GraphFile& options_;
  RawGraph graph_;
  std::map<std::string, AgentId> number_;
  std::vector<std::string> fields_;
  std::size_t source_ = 0, target_ = 1, weight_ = 2, latency_ = 3, width_ = 0;
  bool columns_known_ = false, named_ = false;
};

char delimiter_of(std::string_view line) {
  for (const char c : {'\t', ',', ';'})
    if (line.find(c) != std::string_view::npos) return c;
  return ' ';
}

}  // namespace

RawGraph read_edge_list(const std::string& text, const GraphFile& options) {
  Reader reader(options);
  std::optional<char> delimiter;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos || line[0] == '#' || line[0] == '%') continue;
    if (line.find('\0') != std::string_view::npos)
      throw TopologyError("line {}: expected text, found a null byte", number);
    if (!delimiter) delimiter = delimiter_of(line);
    reader.line(line, number, *delimiter);
  }
  return reader.take();
}

}  // namespace hearsay::sim
