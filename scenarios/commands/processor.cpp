// Ends the program in one line on a processor that lacks the instructions it was compiled with, instead of by SIGILL.
// Compiled for any processor, without inline functions that other sources share, and run before their initialisers.
#include <unistd.h>

#ifdef HEARSAY_NEEDS_X86_64_V3
namespace {

// Of x86-64-v3, what both compilers can ask for. No processor has these without the rest.
[[gnu::constructor(101)]] void require_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
      __builtin_cpu_supports("bmi2"))
    return;
  static const char kMessage[] =
      "hearsay: this program needs a processor with AVX2, FMA and BMI2 (x86-64-v3: Intel since 2013, AMD "
      "since 2015); "
      "build it for others with cmake -DHEARSAY_ARCH=x86-64\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  ::_exit(3);  // kExitRefused
}

}  // namespace
#endif
