#pragma once
// One function of several kinds of argument, for std::visit.

namespace hearsay::sim {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

}  // namespace hearsay::sim
