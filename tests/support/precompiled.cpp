// Has the precompiled header that the tests share; main.cpp cannot, because it compiles Catch.
