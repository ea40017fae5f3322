// N agents on Poisson clocks of rate 1 in ns-3. clocks_ns3 N TICKS [SCHEDULER]; ns3::MapScheduler is the default.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "ns3/core-module.h"

using namespace ns3;

class Agent {
 public:
  void Start(Ptr<ExponentialRandomVariable> gaps) {
    m_gaps = gaps;
    Wait();
  }
  static uint64_t ticks, last;

 private:
  void Wait() { Simulator::Schedule(Seconds(m_gaps->GetValue()), &Agent::Tick, this); }
  void Tick() {
    if (++ticks == last) return Simulator::Stop();
    Wait();
  }
  Ptr<ExponentialRandomVariable> m_gaps;
};
uint64_t Agent::ticks = 0, Agent::last = 0;

int main(int argc, char* argv[]) {
  ObjectFactory scheduler(argc > 3 ? argv[3] : "ns3::MapScheduler");
  Simulator::SetScheduler(scheduler);
  std::vector<Agent> agents(std::stoul(argv[1]));
  Agent::last = std::stoull(argv[2]);
  auto gaps = CreateObject<ExponentialRandomVariable>();
  gaps->SetAttribute("Mean", DoubleValue(1));
  for (Agent& agent : agents) agent.Start(gaps);
  const auto begin = std::chrono::steady_clock::now();
  Simulator::Run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("{\"operations\": %llu, \"seconds\": %.6f, \"end\": %.9f}\n",
              static_cast<unsigned long long>(Agent::ticks), seconds.count(), Simulator::Now().GetSeconds());
  Simulator::Destroy();
}
