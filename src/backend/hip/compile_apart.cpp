#include "backend/hip/compile_apart.h"

#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backend/hip/comgr.h"
#include "base/forked.h"

namespace rowsmith::hip {
namespace {

using json = nlohmann::json;

std::string packed(const result<binary>& made) {
  json j;
  if (made) {
    const auto* code = reinterpret_cast<const std::uint8_t*>(made->code.data());
    j = {{"code", json::binary({code, code + made->code.size()})}, {"log", made->log}, {"ms", made->compile_ms}};
  } else {
    const status& s = made.status();
    j = {{"error", static_cast<int>(s.error())},
         {"message", s.message()},
         {"detail", s.detail()},
         {"vendor_code", s.vendor_code()},
         {"vendor_text", s.vendor_text()}};
  }
  std::string text;
  json::to_cbor(j, text);
  return text;
}

result<binary> unpacked(const std::string& text) {
  const json j = json::from_cbor(text);
  if (j.contains("error")) {
    return status(static_cast<code>(j["error"].get<int>()), j["message"].get<std::string>(),
                  j["vendor_code"].get<std::int64_t>(), j["vendor_text"].get<std::string>())
        .with_detail(j["detail"].get<std::string>());
  }
  const json::binary_t& code = j["code"].get_binary();
  binary made;
  made.code.resize(code.size());
  std::memcpy(made.code.data(), code.data(), code.size());
  made.log = j["log"].get<std::string>();
  made.compile_ms = j["ms"].get<double>();
  return made;
}

}  // namespace

result<binary> compile_apart(toolchain& by, const source& s, const std::string& arch) {
  if (auto who = by.identity(arch); !who) return who.status();  // so that the copy has the compiler, loaded
  // Nobody is inside a compiler at the moment of the copy, which finds it whole.
  std::unique_lock alone(compiling_for_amd);
  result<forked> copy = forked::start([&] {
    alone.unlock();
    return packed(by.compile(s, arch));
  });
  alone.unlock();
  if (!copy) return by.compile(s, arch);
  const result<std::string> answer = copy->answer();
  if (!answer) return refused("the compiler's process (" + answer.status().message() + ")", s, arch, "");
  return unpacked(*answer);
}

}  // namespace rowsmith::hip
