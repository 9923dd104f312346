#!/usr/bin/env bash
# Lets one worker, and no other, run a task. Usage: program.sh op|recover|check DIR [WORKER]
set -eu
verb=$1 dir=$2 worker=${3:-a}

case $verb in
  op)
    set -o noclobber
    { : >"$dir/claim"; } 2>/dev/null || exit 0
    : >"$dir/ran.$worker"
    ;;
  recover)
    if [ ! -e "$dir/ran.a" ] && [ ! -e "$dir/ran.b" ]; then rm -f -- "$dir/claim"; fi
    ;;
  check)
    if [ -e "$dir/ran.a" ] && [ -e "$dir/ran.b" ]; then
      echo 'Both workers ran the task.'
      exit 1
    fi
    ;;
esac
