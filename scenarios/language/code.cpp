#include "scenarios/language/code.hpp"

#include <stdexcept>

namespace hearsay::scenarios {

namespace {

CodeLoader code_loader = nullptr;
Folders code_folders;  // real_folders()
bool code_loaded = false;

}  // namespace

void set_code_loader(CodeLoader loader) {
  code_loader = loader;
}

void allow_code(const Folders& folders) {
  code_folders = real_folders(folders);
  code_loaded = false;
}

bool code_in_use() {
  return code_loaded;
}

std::shared_ptr<const sim::Code> load_code(const sim::CodePlace& place, sim::CodeKind kind) {
  if (!place.file.path.empty() && !lies_under(place.file.resolved, code_folders))
    throw std::runtime_error("expected a file that may be executed, in or below a folder of --allow-code");
  if (code_loader == nullptr) throw std::runtime_error("this program cannot execute Python");
  code_loaded = true;
  return code_loader(place, kind);
}

}  // namespace hearsay::scenarios
