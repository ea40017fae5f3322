#pragma once
// hearsay.Heard: an array of numpy with a row for each neighbour, whose mean over them is quick. numpy's own takes longer
// than all else that a tick of gossip does, since it is made for large arrays.
#include <pybind11/numpy.h>

namespace hearsay::scenarios {

/// To be called before several threads use arrays: what is made at the first use of numpy and of this type takes and gives
/// the interpreter's lock, so that two threads would wait for each other.
void prepare_arrays();

/// Of rows x columns numbers, to be written.
pybind11::array_t<double> new_heard(pybind11::ssize_t rows, pybind11::ssize_t columns);
/// numpy.ndarray of so many numbers, to be written: as pybind11 makes it, in a third of the time.
pybind11::array_t<double> new_vector(pybind11::ssize_t size);

}  // namespace hearsay::scenarios
