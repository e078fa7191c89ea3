#!/usr/bin/env bash
# device_check_test.sh STATUS PROGRAMS CASES LINE...: device-check of some cases ends with STATUS, and its report has every LINE.
set -uo pipefail
expected=$1 programs=$2 cases=$3
shift 3
report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$(dirname "$0")/device-check" "$programs" "$report" --megabytes=1 --gtest_filter="$cases" >/dev/null
status=$?
cat "$report"
if ((status != expected)); then printf 'device-check ended with %s, expected %s\n' "$status" "$expected" && exit 1; fi
for line in "$@"; do
  grep -qF "$line" "$report" || { printf 'the report lacks: %s\n' "$line"; exit 1; }
done
