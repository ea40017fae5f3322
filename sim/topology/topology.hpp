#pragma once
// Who can talk to whom: graphs, and the options that make them.
#include "sim/topology/graph.hpp"
#include "sim/topology/make_topology.hpp"
