#!/usr/bin/env bash
# install_test.sh CMAKE BUILD WORK CXX CC PKG_CONFIG LIBDIR [FLAG]: installs BUILD into WORK, moves the tree, and lives off it.
set -euo pipefail
cmake=$1 build=$2 work=$3 cxx=$4 cc=$5 pkg_config=$6 libdir=$7 flag=${8:-}
stranger=$(dirname "$(readlink -f "$0")")/stranger
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

rm -rf "$work"
mkdir -p "$work"
mkdir -m 700 "$work/cache"
export ROWSMITH_CACHE_DIR=$work/cache
"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix lib=$work/prefix/$libdir

# Only what is public: headers of one folder, one library under its soname, the command.
(cd "$prefix/include" && find . -type f | sort) >"$work/headers.txt"
! grep -v '^\./rowsmith/[a-z_]*\.h$' "$work/headers.txt" || fail "these are no public headers"
[[ $(wc -l <"$work/headers.txt") -ge 6 ]] || fail "public headers are missing"
[[ -L $lib/librowsmith.so && -f $(readlink -f "$lib/librowsmith.so") ]] || fail "librowsmith.so is no link to a version"
[[ -z $(find "$prefix" -name '*.a') ]] || fail "a static library was installed"
! nm -D --defined-only -C "$lib/librowsmith.so" | grep -E ' [TDBR] ' | grep -vE '(rowsmith::|rs_[a-z])' ||
  fail "these symbols are no part of the interface"
for file in "$prefix/bin/rowsmith" "$lib/librowsmith.so"; do
  rpath=$(readelf -d "$file" | sed -nE 's/.*(RPATH|RUNPATH).*\[(.*)\]/\2/p')
  [[ :$rpath: =~ ^(:\$ORIGIN[^:]*)+:$ ]] || fail "$file looks for libraries in $rpath"
done
! grep -rlE 'fmt|spdlog|TBB|xxhash' "$lib/cmake" "$lib/pkgconfig" || fail "the package asks its user for a private dependency"
! grep -rlF "$build" "$lib/cmake" "$lib/pkgconfig" || fail "the package names the folder it was built in"

# find_package, as C++17 and C99.
"$cmake" -S "$stranger" -B "$work/found" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_FLAGS="$flag" -DCMAKE_C_FLAGS="$flag" >"$work/configure.log"
"$cmake" --build "$work/found" >"$work/build.log" || { cat "$work/build.log"; fail "find_package: no build"; }
"$work/found/stranger"
"$work/found/stranger_c"

# pkg-config, by hand.
export PKG_CONFIG_PATH=$lib/pkgconfig
eval "flags=($("$pkg_config" --cflags --libs rowsmith))"  # a path with a space comes quoted for a shell
"$cxx" -std=c++17 -Wall -Wextra -Werror $flag "$stranger/stranger.cpp" -o "$work/by_hand" "${flags[@]}" -Wl,-rpath,"$lib"
"$work/by_hand"

# The installed command finds its library beside itself.
"$prefix/bin/rowsmith" devices >"$work/devices.txt" || fail "the installed command does not run"
grep -q host "$work/devices.txt" || fail "the installed command names no host"
echo passed
