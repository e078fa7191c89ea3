// last_error: what this thread remembers of its last failure.
#include "capi/guard.h"

namespace {

struct memory {
  rowsmith::status failure;
  // Stand in for `failure` when there was no room to build one.
  rowsmith::code code = rowsmith::code::ok;
  const char* message = "";
};

thread_local memory t_last;

}  // namespace

namespace rowsmith::capi {

rs_status remember(status s) noexcept {
  if (s.ok()) return RS_OK;
  t_last.code = s.error();
  t_last.failure = std::move(s);
  return static_cast<rs_status>(t_last.code);
}

rs_status remember(code c, const char* message) noexcept {
  try {
    return remember(status(c, message));
  } catch (...) {
    t_last.failure = status();
    t_last.code = c;
    t_last.message = c == code::out_of_memory ? "the host has no memory left" : "internal";
    return static_cast<rs_status>(c);
  }
}

}  // namespace rowsmith::capi

rs_status rs_last_error(void) { return static_cast<rs_status>(t_last.code); }

const char* rs_last_error_message(void) {
  return t_last.failure.ok() ? t_last.message : t_last.failure.message().c_str();
}

const char* rs_last_error_detail(void) { return t_last.failure.detail().c_str(); }
int64_t rs_last_error_vendor_code(void) { return t_last.failure.vendor_code(); }
const char* rs_last_error_vendor_text(void) { return t_last.failure.vendor_text().c_str(); }

// name_of gives views of string literals, which end in 0.
const char* rs_status_name(rs_status s) { return rowsmith::name_of(static_cast<rowsmith::code>(s)).data(); }
