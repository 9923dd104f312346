#!/usr/bin/env bash
# Lets one worker, and no other, run a task. Usage: program.sh op|recover|check DIR [WORKER]
set -eu
verb=$1 dir=$2 worker=${3:-a}

case $verb in
  op)
    if [ -e "$dir/claim" ]; then exit 0; fi
    : >"$dir/claim"
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
