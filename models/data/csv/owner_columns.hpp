#pragma once
// What a table says of each owner as a whole: columns that hold one number for all records of an owner.
#include <map>
#include <string>
#include <vector>

namespace hearsay::models {

class TextTable;
struct Assignment;

/// By name, a number for each owner, of every column that has one: a number, the same in all of the owner's records
/// that are used. O(fields) at most; a column is left at the first record that differs.
std::map<std::string, std::vector<double>> owner_columns(const TextTable& table, const Assignment& rows);

}  // namespace hearsay::models
