#!/usr/bin/env bash
# Keeps a log of one record a line. Usage: program.sh op|recover|check DIR
set -euo pipefail
verb=$1 dir=$2

append() {
  local record=$1
  if [ "$(tail -c 1 -- "$dir/log" | wc -l)" -eq 0 ]; then record=$'\n'$record; fi
  printf '%s\n' "$record" >>"$dir/log"
  sync -- "$dir/log"
}

fail() { echo "$1"; exit 1; }

case $verb in
  op) append second ;;
  recover) append recovered ;;
  check)
    [ "$(head -n 1 -- "$dir/log")" = first ] || fail 'The first record is lost.'
    if LC_ALL=C grep -aqE '.(second|recovered)$' -- "$dir/log"; then fail 'A record is lost in a torn line.'; fi
    ;;
esac
