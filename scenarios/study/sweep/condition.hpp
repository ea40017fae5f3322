#pragma once
// Expressions of muParser over named numbers in SI, mostly the numeric axes of a sweep. Quantities in them ("25 ms") are
// numbers in SI too.
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearsay::scenarios {

/// A number, "sqrt(s)/n".
class Expression {
 public:
  /// For messages: what the expression is, an example, what its names are, and the operator that joins several.
  struct Words {
    const char *what, *example, *names, *join;
  };
  /// `numeric`: by name, whether all its values are numbers. `units`: by name, the SI unit of its quantities, empty
  /// where it has none; if all names of the expression have units, its quantities must be of these. Throws
  /// std::invalid_argument for an invalid expression, an assignment, and names that are unknown or not numeric.
  Expression(const std::string& expression, const std::vector<std::string>& names,
             const std::vector<bool>& numeric, const Words& words,
             const std::vector<std::string>& units = {});
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  /// Its value for values of the names, in their order.
  double value(std::span<const double> values);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// A condition, "privacy.epsilon * data.records >= 1e4".
class Condition : public Expression {
 public:
  /// `known`: what its names are, for messages.
  Condition(const std::string& expression, const std::vector<std::string>& names,
            const std::vector<bool>& numeric, const std::vector<std::string>& units = {},
            const char* known = "swept options")
      : Expression(expression, names, numeric, {"condition", "a * b >= 1e4", known, "&&"}, units) {}
  /// Whether it holds; NaN counts as false.
  bool holds(std::span<const double> values);
};

}  // namespace hearsay::scenarios
