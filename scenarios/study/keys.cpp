#include "scenarios/study/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <fstream>
#include <memory>

#include "scenarios/language/bind_columns.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/build_info.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    sim::check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "no SHA-256");
  }
  void add(const char* data, std::size_t size) {
    sim::check(EVP_DigestUpdate(context_.get(), data, size) == 1, "SHA-256 failed");
  }
  std::string hex() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    sim::check(EVP_DigestFinal_ex(context_.get(), bytes, &size) == 1, "SHA-256 failed");
    return fmt::format("{:02x}", fmt::join(bytes, bytes + size, ""));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

// Replaces the paths of input files by hashes of their contents.
class FileHasher final : public Walk {
 public:
  explicit FileHasher(std::map<std::string, std::string>& known) : known_(known) {}

 private:
  void file(sim::InputFile& value, const sim::About&) override {
    if (value.path.empty()) return;
    const auto [hash, is_new] = known_.try_emplace(value.resolved);
    if (is_new) hash->second = sha256_of_file(value.resolved);
    value.path = "sha256:" + hash->second;
  }

  std::map<std::string, std::string>& known_;
};

}  // namespace

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text.data(), text.size());
  return hash.hex();
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Sha256 hash;
  std::vector<char> block(1u << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
    hash.add(block.data(), static_cast<std::size_t>(in.gcount()));
  if (!in.eof()) throw InputError(fmt::format("{}: cannot be read", printable(path, 4096)));
  return hash.hex();
}

PointKey Keys::point(const Scenario& scenario) {
  Scenario s = scenario;
  s.name.clear();
  s.description.clear();
  s.version = 1;
  s.repeat = 2;  // any even number
  s.repeat.set_antithetic(scenario.repeat.antithetic());
  s.baselines.clear();
  s.analysis = {};
  s.splitting.reset();
  s.record = {};
  if (!metrics_ && (!s.stop.target || !s.measures((*s.stop.target->metric).measured().name))) s.metrics = {};
  for (sim::TimelineEvent& event : s.events) std::visit([](auto& e) { e.name.clear(); }, event);
  FileHasher hasher(files_);
  s.describe(hasher);
  nlohmann::ordered_json options = write_changes(s);
  const auto part = [&](const char* name) {
    return options.contains(name) ? canonical(options[name]) : std::string("{}");
  };
  PointKey key;
  key.problem = fmt::format("{} {} {}", part("data"), part("model"), scenario.seed);
  if (s.stop.target && !s.stop.target->check_every) {
    options["looked_at"] = write_changes(scenario.record.every);
  }
  key.point = sha256(fmt::format("hearsay results {}\n{}", kResultsVersion, canonical(options)));
  return key;
}

std::uint64_t Keys::independent_seed(const Scenario& scenario) {
  return std::stoull(point(scenario).point.substr(0, 14), nullptr, 16) >> 3;
}

std::string run_key(const std::string& point_key, std::uint32_t repetition) {
  return sha256(fmt::format("{} {}", point_key, repetition));
}

std::string record_key(const Scenario& scenario) {
  std::string text = "every " + canonical(write_changes(scenario.record.every)) + "\n";
  for (const MetricChoice& m : scenario.record.metrics) text += fmt::format("{}\n", (*m).name);
  if (!scenario.own_metrics().empty()) {
    models::MetricsOptions code = scenario.metrics;
    std::map<std::string, std::string> files;
    FileHasher hasher(files);
    hasher(code, {.name = "metrics"});
    text += canonical(write_changes(code)) + "\n";
  }
  if (scenario.record.models == KeptModels::kFinal) text += "models final\n";
  if (scenario.analysis.control_variates) text += "controls\n";
  if (scenario.splitting)
    text += fmt::format("splitting {} confidence {}\n", canonical(write_changes(*scenario.splitting)),
                        scenario.analysis.confidence);
  if (scenario.draws_anew()) text += description_key(scenario);
  return sha256(text);
}

std::string description_key(const Scenario& scenario) {
  std::string text = "4";
  if (needs_optimum(scenario)) text += " optimum";
  if (!scenario.analysis.bounds.empty()) text += " setting of noise";
  for (const analysis::Baseline b : scenario.baselines) text += fmt::format(" {}", sim::name_of(b));
  if (scenario.record.models == KeptModels::kFinal) text += " parameters";
  if (scenario.renyi) text += " renyi";
  return text;
}

std::string version_line() {
  return fmt::format("hearsay {} (commit {}, {}, {})", build_info::kVersion, build_info::kCommit,
                     build_info::kCompiler, build_info::kFlags);
}

}  // namespace hearsay::scenarios
