#!/usr/bin/env bash
# Stop hook: "not so fast, there are open todos". Asks three times, then gives in.
# Anything unexpected lets the session end.
{ # bash reads the whole block before it starts; a script it cannot read to the end would be exit 2
set -u -o pipefail
trap 'exit 0' EXIT
trap '' PIPE

max_blocks=3
max_bytes=10485760
state="${HOME:-}/.cache/unbounded-counter"

# a closed stream would hand its number to the next file that is opened
[ -e /dev/fd/0 ] || exec </dev/null
[ -e /dev/fd/1 ] || exec >/dev/null
[ -e /dev/fd/2 ] || exec 2>/dev/null

# timeout: the reader of stdout or stderr may have stopped reading
say() { timeout 1 printf "$@"; }
approve() { [ -z "${1:-}" ] || say 'todo-guard: stop approved: %s\n' "$1" >&2; exit 0; }

# is_json(text): whole and well-formed? Strings and scalars become \001, then containers fold up from the inside.
# NUL bytes arrive as \001 and are refused, as is broken UTF-8.
is_json='
function is_json(t) {
  if (t ~ /[\001-\010\013\014\016-\037]/) return 0
  if (t ~ /[\200-\377]/) {
    if (t ~ /\340[\200-\237]|\355[\240-\277]|\360[\200-\217]|\364[\220-\277]/) return 0
    gsub(/[\302-\337][\200-\277]|[\340-\357][\200-\277][\200-\277]|[\360-\364][\200-\277][\200-\277][\200-\277]/, "", t)
    if (t ~ /[\200-\377]/) return 0
  }
  gsub(/\\["\\\/bfnrtu]/, "", t)
  if (t ~ /\\/) return 0
  gsub(/"[^"]*"/, "\001", t)
  gsub(/[ \t\r]/, "", t)
  gsub(/-?[0-9][-+.0-9eE]*|true|false|null/, "\001", t)
  for (depth = 0; depth < 100; depth++)
    if (!gsub(/[{][}]|[[][]]|[{]\001:\001(,\001:\001)*[}]|[[]\001(,\001)*[]]/, "\001", t)) break
  return t == "\001"
}'

# open_items: how many items of the last todo list are open; fails when too many lines are damaged
open_items='
/^[ \t\r]*$/ || (length($0) > 1000000 && !/todos|update_plan/) { next }    # a long line without a list needs no check
!is_json($0) { if (++bad > 10) exit 1; next }
/"(todos|plan)"[ \t]*:|\\"(todos|plan)\\"/ {
  line = $0
  if (line ~ /"type"[ \t]*:[ \t]*"function_call"/) {    # Codex: the input is JSON inside a string
    gsub(/\\\\\\?./, "_", line); gsub(/\\"/, "\"", line)
  } else if (line !~ /"toolCalls"[ \t]*:/ && line !~ /"functionCall"[ \t]*:/ &&    # Gemini CLI, Qwen Code
             (line !~ /"role"[ \t]*:[ \t]*"assistant"/ || line !~ /"type"[ \t]*:[ \t]*"tool_use"/)) next
  gsub(/\\./, "_", line)
  while (match(line, /"(todos|plan)"[ \t]*:[ \t]*[[]/)) {
    line = substr(line, RSTART + RLENGTH)
    list = match(line, /^([^]"]|"[^"]*")*/) ? substr(line, 1, RLENGTH) : ""
    open = gsub(/"status"[ \t]*:[ \t]*"(pending|in_progress)"/, "", list)
  }
}
END { if (bad > 10) exit 1; print open + 0 }'

# field NAME: the raw text of a string of the event, snake_case or camelCase
field() {
  camel=$(printf '%s' "$1" | sed 's/_\(.\)/\U\1/g')
  printf '%s' "$event" | grep -aoE "\"($1|$camel)\"[[:space:]]*:[[:space:]]*\"([^\"\\\\]|\\\\.)*\"" |
    sed -n '1{s/^[^:]*:[[:space:]]*"//;s/"$//;p}'
}

# stdin may stay open for ever, so one line of it and no more
export LC_ALL=C
event=$(timeout 2 head -n 1 | head -c 1048576 | tr '\000' '\001') || approve "no event on stdin"
printf '%s\n' "$event" | awk "$is_json"' !/^[ \t]*[{]/ || !is_json($0) { exit 1 }' || approve "stdin is not a JSON object"

path=$(field transcript_path)
case $path in ''|*\\u0000*) approve "no transcript named" ;; esac
path=${path//\\\//\/} path=${path//\\\"/\"}
path=$(LC_ALL=C.UTF-8; printf '%b' "$path")
[ -f "$path" ] && [ -r "$path" ] || approve "the transcript is not a readable file"
[ "$(stat -Lc %s -- "$path")" -le "$max_bytes" ] || approve "the transcript is too large"
open=$(head -c "$max_bytes" -- "$path" | tr '\000' '\001' | timeout 2 awk "$is_json$open_items") || approve "the transcript cannot be read"

case ${HOME:-} in /*) [ -d "$HOME" ] || approve "no home directory" ;; *) approve "no home directory" ;; esac
session=$(field session_id)
counter=$state/$(printf '%s' "${session:-$path}" | sha256sum | cut -c 1-32)
count=0
if [ -e "$counter" ] || [ -L "$counter" ]; then
  [ -f "$counter" ] && count=$(timeout 1 head -c 3 -- "$counter" | tr '\000' 'x') || approve "the counter cannot be read"
  case $count in [0-9]|[0-9][0-9]) ;; *) approve "the counter is damaged" ;; esac
fi

[ "$open" -gt 0 ] || { rm -f -- "$counter"; exit 0; }
[ "$count" -lt "$max_blocks" ] || exit 0

# remember that we asked; not worth failing over
{ mkdir -p -- "$state" && [ ! -L "$state" ] && printf '%s' $((count + 1)) >"$counter.$$" && mv -fT -- "$counter.$$" "$counter"; } 2>/dev/null || true
say '{"decision":"block","reason":"%s"}\n' "Not so fast: $open todo item(s) are still open."
exit 0
}
