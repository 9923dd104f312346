#!/usr/bin/env bash
# Moves a message on, or aside when that fails: none may be lost. Usage: program.sh op|recover|check DIR
set -u
verb=$1 dir=$2
export LC_ALL=C

store() { cp -- "$dir/inbox" "$dir/$1" && sync -- "$dir/$1" && sync -- "$dir"; }
whole() { cmp -s -- "$dir/$1" <(echo 'pay 7'); }

case $verb in
  op)
    store outbox || store spool || exit 1
    rm -- "$dir/inbox"
    ;;
  recover)
    for name in outbox spool; do
      whole "$name" || rm -f -- "$dir/$name"
    done
    ;;
  check)
    whole inbox || whole outbox || whole spool || { echo 'The message is lost.'; exit 1; }
    ;;
esac
