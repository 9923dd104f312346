#!/usr/bin/env bash
# What an agent did, one JSON object a line. Needs jq.
#
#   audit.sh add DIR TOOL      notes that a tool was used
#   audit.sh resume DIR        notes that the session goes on after a crash
#   audit.sh check DIR         fails when a record that was written can no longer be read
set -euo pipefail
verb=$1 log=$2/audit.jsonl

append() { jq -nc "$@" >>"$log"; }
lost() { echo "$1"; exit 1; }

case $verb in
  add) append --arg tool "$3" '{event: "tool", tool: $tool}' ;;
  resume) append '{event: "resume"}' ;;
  check)
    head -n 2 "$log" | jq -es 'map(.tool) == ["read", "bash"]' >/dev/null 2>&1 || lost 'The first records are lost.'
    tail -n 1 "$log" | jq -e '.event == "resume"' >/dev/null 2>&1 || lost 'The record of the resumed session is lost.'
    ;;
esac
