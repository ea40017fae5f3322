#pragma once
// Of functions that only fetch what is read later. The compiler takes a call of one for a call without effect and leaves
// it out, unless it is inlined.
#define HEARSAY_PREFETCH [[gnu::always_inline]]
