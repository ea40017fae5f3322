#include "models/learning/networks/row_product.hpp"

#include <algorithm>
#include <type_traits>

namespace hearsay::models {

using Eigen::Index;

namespace {

using Eigen::internal::ploadu;
using Eigen::internal::pmadd;
using Eigen::internal::pset1;
using Eigen::internal::pstoreu;

// The numbers that a register of the processor holds.
using Packet = Eigen::internal::packet_traits<double>::type;
constexpr Index kPacket = Eigen::internal::packet_traits<double>::size;

// A tile of C is computed in registers: this many rows, and packets of neighbouring entries. Of the tiles tried, the fastest.
constexpr int kTileRows = 5, kTilePackets = 2;

template <int n>
using Count = std::integral_constant<int, n>;

// Calls f(first, Count) for the parts of 0, ..., n - 1: of `size` while there are as many left, then of one.
template <int size, class F>
void for_parts(Index n, F&& f) {
  Index first = 0;
  for (; first + size <= n; first += size) f(first, Count<size>());
  for (; first < n; ++first) f(first, Count<1>());
}

// rows x columns values of C, each a packet or a number.
template <bool add, class Value, int rows, int columns>
void tile(const double* a, EntryStrides strides, const double* b, double* c, Index k, Index n) {
  constexpr Index kSize = std::is_same_v<Value, double> ? 1 : kPacket;
  Value sums[rows][columns];
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      sums[i][j] = add ? ploadu<Value>(c + i * n + j * kSize) : pset1<Value>(0.0);
  }
  for (Index l = 0; l < k; ++l) {
    Value right[columns];
    for (int j = 0; j < columns; ++j) right[j] = ploadu<Value>(b + l * n + j * kSize);
    for (int i = 0; i < rows; ++i) {
      const auto left = pset1<Value>(a[i * strides.row + l * strides.column]);
      for (int j = 0; j < columns; ++j) sums[i][j] = pmadd(left, right[j], sums[i][j]);
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) pstoreu(c + i * n + j * kSize, sums[i][j]);
  }
}

}  // namespace

template <bool add>
void row_product(const double* a, EntryStrides strides, const double* b, double* c, Index m, Index k,
                 Index n) {
  if (k == 0) {  // `a` and `b` have no numbers, and may be null
    if (!add) std::fill_n(c, m * n, 0.0);
    return;
  }
  const Index packets = n / kPacket;
  for_parts<kTileRows>(m, [&]<int rows>(Index i, Count<rows>) {
    const double* const left = a + i * strides.row;
    for_parts<kTilePackets>(packets, [&]<int columns>(Index j, Count<columns>) {
      tile<add, Packet, rows, columns>(left, strides, b + j * kPacket, c + i * n + j * kPacket, k, n);
    });
    for (Index j = packets * kPacket; j < n; ++j)
      tile<add, double, rows, 1>(left, strides, b + j, c + i * n + j, k, n);
  });
}

template void row_product<false>(const double*, EntryStrides, const double*, double*, Index, Index, Index);
template void row_product<true>(const double*, EntryStrides, const double*, double*, Index, Index, Index);

}  // namespace hearsay::models
