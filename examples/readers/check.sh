#!/usr/bin/env bash
# Checks a Stop hook against plain JSON scenarios, without windtunnel:
#   windtunnel generate --profile stop_hook --plain --format json --out scenarios
#   check.sh scenarios/hook-....json -- python3 my_hook.py
# Exit 0: the last answer is one of those allowed. 1: it is not. 2: this reader cannot run the scenario.
set -uo pipefail
refuse() { echo "$*" >&2; exit 2; }
[ "${2:-}" = -- ] && [ $# -gt 2 ] || refuse "usage: check.sh SCENARIO.json -- COMMAND..."
command -v jq > /dev/null || refuse "this reader needs jq: install it, or take check.mjs, which needs node only"
scenario=$1
shift 2
id=$(jq -er .id "$scenario") || refuse "$scenario is no JSON scenario; write some with --format json"
jq -e '.allowed | length > 0' "$scenario" > /dev/null || refuse "$id does not say what is allowed"
jq -e 'all(.steps[]; .op.name == "stop" and (.op.args.camel_case | not) and (.op.args.stdin // "object") == "object")' \
  "$scenario" > /dev/null || refuse "$id has a step that this reader does not know"
base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
mkdir "$base/home" "$base/project" "$base/tmp" "$base/outside"
resolve() { sed -E "s#\{(home|project|tmp|outside)\}#$base/\1#g"; }

while IFS=$'\t' read -r place kind mode target coded; do
  at=$(resolve <<< "$place")
  [ "$kind" = absent ] && continue
  mkdir -p "$(dirname "$at")"
  case $kind in
    directory) mkdir -p "$at" ;;
    fifo) mkfifo "$at" ;;
    symlink) ln -s "$(resolve <<< "${target#=}")" "$at" ;;
    *) base64 -d <<< "${coded#=}" > "$at" ;;
  esac
  [ "$mode" = - ] || chmod "$(printf %o "$mode")" "$at"
done < <(jq -r '.world.files // {} | to_entries[]
  | [.key, .value.kind // "file", .value.mode // "-", "=" + (.value.target // ""),
     "=" + (.value.base64 // (.value.text // "" | @base64))] | @tsv' "$scenario")

decision=none
while IFS= read -r args; do
  input=$(jq -c '{session_id: (.session_id // "session-1"), cwd: "{project}", hook_event_name: (.event // "Stop"),
    transcript_path: (.transcript_path // "{home}/.claude/projects/demo/transcript.jsonl"),
    stop_hook_active: (.stop_hook_active // false), permission_mode: (.permission_mode // "default"),
    last_assistant_message: (.last_assistant_message // "")} + (.replace // {}) as $all
    | reduce (.drop // [])[] as $name ($all; del(.[$name]))' <<< "$args" | resolve)
  mapfile -t variables < <(jq -r '.environment // {} | to_entries[] | "\(.key)=\(.value)"' <<< "$args")
  output=$(env -i PATH="$PATH" HOME="$base/home" TMPDIR="$base/tmp" CLAUDE_PROJECT_DIR="$base/project" \
    "${variables[@]}" timeout 30 "$@" 2> "$base/stderr" <<< "$input")
  code=$?
  decision=approve
  if [ $code -eq 124 ]; then decision="no answer"
  elif [ $code -eq 127 ]; then refuse "$1 does not exist"
  elif [ $code -eq 2 ] && [ -s "$base/stderr" ]; then decision=block
  elif [ $code -eq 0 ] && jq -es '.[0].decision == "block"' <<< "$output" > /dev/null 2>&1; then decision=block; fi
done < <(jq -c '.steps[].op.args // {}' "$scenario")

if jq -e --arg last "$decision" 'any(.allowed[]; .decision == $last)' "$scenario" > /dev/null
then echo "ok   $id: $decision"
else echo "FAIL $id: $decision"; exit 1; fi
