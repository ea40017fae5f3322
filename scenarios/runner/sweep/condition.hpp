#pragma once
// A condition on swept options, "privacy.epsilon * data.records >= 1e4": muParser's expressions over the axes
// that have numbers, in SI.
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearsay::scenarios {

class Condition {
 public:
  /// `names`: of the axes; `numeric`: whether all values of each are numbers. Throws std::invalid_argument:
  /// no expression, an assignment, a name that is no axis or not numeric.
  Condition(const std::string& expression, const std::vector<std::string>& names,
            const std::vector<bool>& numeric);
  Condition(Condition&&) noexcept;
  Condition& operator=(Condition&&) noexcept;
  ~Condition();

  /// Whether it holds for values of the axes, in their order; a result that is not a number does not.
  bool holds(std::span<const double> values);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace hearsay::scenarios
