// Carries the precompiled header that the tests share; main.cpp can not, as it compiles Catch itself.
