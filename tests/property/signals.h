// signals: a draw that touches what it must not dies at once, on the host: its last words say which draw it was.
#pragma once

#include <string>

namespace rowsmith::test {

// What dies from now on dies of this; "": of nothing known.
void announce(const std::string& draw);

void say_last_words();  // from now on, on SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT

}  // namespace rowsmith::test
