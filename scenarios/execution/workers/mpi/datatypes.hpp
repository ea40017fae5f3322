#pragma once
// Messages of which MPI sends arrays as they are.
#include <boost/mpi/datatype.hpp>

#include "scenarios/execution/workers/messages.hpp"

BOOST_IS_MPI_DATATYPE(hearsay::scenarios::RunTask)
BOOST_IS_MPI_DATATYPE(hearsay::analysis::Sample)
