#!/usr/bin/env bash
# Stop hook: gives the same task back until the promise is spoken or the iterations are used up.
set -euo pipefail

event=$(cat)
state=.claude/ralph-loop.local.md
[ -f "$state" ] || exit 0

setting() { sed -n "2,/^---\$/s/^$1: *//p" "$state" | head -n 1 | tr -d '"'; }
finish() { echo "ralph loop: $1" >&2; rm -f "$state"; exit 0; }

iteration=$(setting iteration)
limit=$(setting max_iterations)
promise=$(setting completion_promise)
[[ $iteration =~ ^[0-9]+$ && $limit =~ ^[0-9]+$ ]] || finish "the state file is damaged"
(( limit == 0 || iteration < limit )) || finish "all $limit iterations are done"

transcript=$(jq -r .transcript_path <<<"$event")
[ -f "$transcript" ] || finish "there is no transcript"
spoken=$(grep '"role":"assistant"' "$transcript" | tail -n 1 |
  jq -r '.message.content | map(select(.type == "text").text) | join("\n")') || finish "the last answer cannot be read"
if [ -n "$promise" ] && [ "$promise" != null ] && grep -qF "<promise>$promise</promise>" <<<"$spoken"; then
  finish "the promise was spoken"
fi

task=$(sed '1,/^---$/d' "$state")
[ -n "$task" ] || finish "there is no task"
next=$((iteration + 1))
sed "s/^iteration: .*/iteration: $next/" "$state" >"$state.new"
mv "$state.new" "$state"
jq -n --arg task "$task" --arg turn "ralph loop, iteration $next" \
  '{decision: "block", reason: $task, systemMessage: $turn}'
