#pragma once
// A condition on swept options, "privacy.epsilon * data.records >= 1e4": an expression of muParser over the numeric
// axes, in SI. Quantities in it ("25 ms") are numbers in SI too.
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearsay::scenarios {

class Condition {
 public:
  /// `names` are those of the axes, `numeric` whether all values of each are numbers. Throws std::invalid_argument for
  /// an invalid expression, an assignment, and names that are not numeric axes.
  Condition(const std::string& expression, const std::vector<std::string>& names,
            const std::vector<bool>& numeric);
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;
  ~Condition();

  /// Whether it holds for values of the axes, in their order; NaN counts as false.
  bool holds(std::span<const double> values);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace hearsay::scenarios
