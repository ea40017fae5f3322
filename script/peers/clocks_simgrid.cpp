// N agents on Poisson clocks of rate 1 in SimGrid: actors that sleep, on one host. clocks_simgrid N TICKS
#include <chrono>
#include <cstdio>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>

namespace sg4 = simgrid::s4u;

int main(int argc, char* argv[]) {
  sg4::Engine engine(&argc, argv);
  const long agents = std::stol(argv[1]);
  const long last = std::stol(argv[2]);
  auto* zone = sg4::create_full_zone("zone");
  auto* host = zone->create_host("host", 1e9);
  zone->seal();
  std::mt19937_64 random(1);
  std::exponential_distribution<double> gap(1);
  long ticks = 0;
  double end = 0;
  const auto agent = [&] {
    while (ticks < last) {
      sg4::this_actor::sleep_for(gap(random));
      if (++ticks == last) {
        end = sg4::Engine::get_clock();
        sg4::Actor::kill_all();
      }
    }
  };
  for (long i = 0; i < agents; ++i) sg4::Actor::create("agent", host, agent);
  const auto begin = std::chrono::steady_clock::now();
  engine.run();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("{\"operations\": %ld, \"seconds\": %.6f, \"end\": %.9f}\n", ticks, seconds.count(), end);
}
