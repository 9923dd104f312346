#!/usr/bin/env bash
# Makes a worker the leader when the lease has run out. Usage: program.sh op|recover|check DIR [WORKER]
set -eu
verb=$1 dir=$2 worker=${3:-a}
lasting=9999999999 # until it is given up

case $verb in
  op)
    if [ -e "$dir/lease" ]; then
      read -r ends <"$dir/lease" || ends=0
      if [ "$ends" -gt "$EPOCHSECONDS" ]; then exit 0; fi
      rm -- "$dir/lease"
    fi
    set -o noclobber
    { echo "$lasting" >"$dir/lease"; } 2>/dev/null || exit 0
    : >"$dir/leads.$worker"
    ;;
  recover)
    if [ ! -e "$dir/leads.a" ] && [ ! -e "$dir/leads.b" ]; then rm -f -- "$dir/lease"; fi
    ;;
  check)
    if [ -e "$dir/leads.a" ] && [ -e "$dir/leads.b" ]; then
      echo 'Both workers lead.'
      exit 1
    fi
    ;;
esac
