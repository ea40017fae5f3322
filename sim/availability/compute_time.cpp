#include "sim/availability/compute_time.hpp"

#include "sim/options/per_agent.hpp"

namespace hearsay::sim {

namespace {

void describe_drawn(Visitor& v, ComputeDrawn& drawn) {
  v(drawn, {.name = "drawn", .help = "How often it is drawn."});
}

// A distribution is visited member by member; this visitor's alternatives get one more.
class WithDrawn final : public Visitor {
 public:
  WithDrawn(Visitor& v, ComputeDrawn& drawn) : v_(v), drawn_(drawn) {}

  void alternatives(const About& about, std::span<const Alternative> all, std::size_t index,
                    const std::function<void(std::size_t)>& select, const Describe& current) override {
    std::vector<Alternative> extended(all.begin(), all.end());
    for (Alternative& a : extended) {
      a.describe_default = [inner = a.describe_default](Visitor& v) {
        inner(v);
        ComputeDrawn drawn = ComputeDrawn::kPerComputation;
        describe_drawn(v, drawn);
      };
    }
    v_.alternatives(about, extended, index, select, [&](Visitor& v) {
      current(v);
      describe_drawn(v, drawn_);
    });
  }

 protected:
  void boolean(bool&, const About&) override {}
  void number(double&, const About&) override {}
  void whole(std::int64_t&, const About&) override {}
  void text(std::string&, const About&) override {}
  void file(InputFile&, const About&) override {}
  void choice(std::size_t&, std::span<const Choice>, const About&) override {}
  void object(const About&, const Describe&) override {}
  void optional(const About&, bool, const std::function<void(bool)>&, const Describe&) override {}
  void list(const About&, std::size_t, const std::function<void(std::size_t)>&,
            const std::function<void(Visitor&, std::size_t)>&) override {}
  void failed(std::string_view key, const std::string& message) override { v_.check(false, key, message); }

 private:
  Visitor& v_;
  ComputeDrawn& drawn_;
};

}  // namespace

void ComputeOptions::describe_as(Visitor& v, const About& about) {
  WithDrawn with(v, drawn);
  law.describe_as(with, about);
}

Time ComputeTime::of(AgentId i, std::uint32_t n) const {
  Stream s = options_.drawn == ComputeDrawn::kPerAgent ? streams_(Purpose::kPerAgent, i, 0, kComputeOption)
                                                       : streams_(Purpose::kCompute, i, 0, n);
  return options_.law.sample(s);
}

}  // namespace hearsay::sim
