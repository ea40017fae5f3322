#pragma once
// JSON Schemas by an independent validator, that of Python.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace hearsay::test {

/// That a schema accepts and refuses these documents, a line of JSON each.
inline void check_schema(const std::string& schema, const std::vector<std::string>& valid,
                         const std::vector<std::string>& invalid) {
  const Scratch dir;
  std::vector<std::string> documents = valid;
  documents.insert(documents.end(), invalid.begin(), invalid.end());
  std::string lines;
  for (const std::string& document : documents) lines += document + "\n";
  dir.write("schema.json", schema);
  dir.write("documents", lines);
  dir.write("check.py",
            "import json, jsonschema\n"
            "schema = json.load(open('schema.json'))\n"
            "jsonschema.Draft202012Validator.check_schema(schema)\n"
            "validator = jsonschema.Draft202012Validator(schema)\n"
            "for line in open('documents'):\n"
            "  error = next(validator.iter_errors(json.loads(line)), None)\n"
            "  print(error and ascii((list(error.path), error.message[:200])) or '')\n");
  const Outcome outcome = shell(dir, "/usr/bin/python3 -W ignore check.py");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::istringstream errors(outcome.out);
  std::string error;
  for (std::size_t k = 0; k < documents.size(); ++k) {
    INFO(documents[k]);
    REQUIRE(std::getline(errors, error));
    if (k < valid.size()) {
      CHECK(error == "");
    } else {
      CHECK(error != "");
    }
  }
}

}  // namespace hearsay::test
