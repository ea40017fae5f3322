#include "scenarios/language/units.hpp"

#include <catch2/catch.hpp>

using namespace hearsay::scenarios;

TEST_CASE("units: a quantity is its number times its unit") {
  CHECK(parse_quantity("15 ms", "s") == 0.015);
  CHECK(parse_quantity("15ms", "s") == 0.015);
  CHECK(parse_quantity("250 us", "s") == 0.00025);
  CHECK(parse_quantity("250 \u00b5s", "s") == 0.00025);
  CHECK(parse_quantity("250 \u03bcs", "s") == 0.00025);
  CHECK(parse_quantity("3 ns", "s") == 3e-9);
  CHECK(parse_quantity("2 min", "s") == 120.0);
  CHECK(parse_quantity("1.5 h", "s") == 5400.0);
  CHECK(parse_quantity("1 d", "s") == 86400.0);
  CHECK(parse_quantity("-1e1 s", "s") == -10.0);
  CHECK(parse_quantity("10 Mbit/s", "B/s") == 1.25e6);
  CHECK(parse_quantity("8 kbit/s", "B/s") == 1000.0);
  CHECK(parse_quantity("1 GB", "B") == 1e9);
  CHECK(parse_quantity("2 KiB", "B") == 2048.0);
  CHECK(parse_quantity("16 bit", "B") == 2.0);
  CHECK(parse_quantity("5 /s", "1/s") == 5.0);
  CHECK(parse_quantity("5 Hz", "1/s") == 5.0);
  CHECK(parse_quantity("6 /min", "1/s") == 0.1);
  CHECK(parse_quantity("36 /h", "1/s") == 0.01);
  CHECK(parse_quantity("3 km", "m") == 3000.0);
  CHECK(parse_quantity("200000 km/s", "m/s") == 2e8);
}

TEST_CASE("units: text that is not a quantity of the unit is refused") {
  for (const char* text : {"15", "ms", "", "15 MB", "15  ms", "15 ms ", " 15 ms", "15 Ms", "inf s", "nan s",
                           "1e400 s", "1e308 d", "0x10 s", "+5 s", "1,5 s"}) {
    INFO(text);
    CHECK_FALSE(parse_quantity(text, "s").has_value());
  }
  CHECK_FALSE(parse_quantity("5 s", "").has_value());
}

TEST_CASE("units: quantities are written with a readable unit") {
  CHECK(format_quantity(0.015, "s") == "15 ms");
  CHECK(format_quantity(0, "s") == "0 s");
  CHECK(format_quantity(100, "s") == "100 s");
  CHECK(format_quantity(90, "s") == "1.5 min");
  CHECK(format_quantity(7200, "s") == "2 h");
  CHECK(format_quantity(-0.005, "s") == "-5 ms");
  CHECK(format_quantity(1.0 / 3, "s") == "333.333 ms");
  CHECK(format_quantity(1e-12, "s") == "0.001 ns");
  CHECK(format_quantity(1.25e6, "B/s") == "1.25 MB/s");
  CHECK(format_quantity(5, "1/s") == "5 /s");
  CHECK(format_quantity(0.5, "1/s") == "0.5 /s");
  CHECK(format_quantity(0.25, "") == "0.25");
  CHECK(format_quantity(1e6, "") == "1000000");
}
