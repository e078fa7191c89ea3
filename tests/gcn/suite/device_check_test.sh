#!/usr/bin/env bash
# device_check_test.sh STATUS LINE PROGRAMS: device-check ends with STATUS, and its report has LINE.
set -uo pipefail
expected=$1 line=$2 programs=$3
report=$(mktemp)
trap 'rm -f "$report"' EXIT
"$(dirname "$0")/device-check" "$programs" "$report" --megabytes=1 \
  --gtest_filter='*softmax_lanes*:*norm_block*:*gather_lanes*:elementwise_numbers.ready_made_calls:values.A8_A9*' >/dev/null
status=$?
cat "$report"
if ((status != expected)); then printf 'device-check ended with %s, expected %s\n' "$status" "$expected" && exit 1; fi
grep -qF "$line" "$report" || { printf 'the report lacks: %s\n' "$line"; exit 1; }
