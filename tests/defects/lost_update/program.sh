#!/usr/bin/env bash
# Enters a worker's pending line in a shared ledger. Usage: program.sh op|recover|check DIR [WORKER]
set -euo pipefail
verb=$1 dir=$2 worker=${3:-a}

fail() { echo "$1"; exit 1; }

case $verb in
  op)
    cat -- "$dir/ledger" "$dir/pending.$worker" >"$dir/ledger.$worker"
    sync -- "$dir/ledger.$worker"
    mv -fT -- "$dir/ledger.$worker" "$dir/ledger"
    sync -- "$dir"
    rm -- "$dir/pending.$worker"
    ;;
  recover)
    rm -f -- "$dir/ledger.a" "$dir/ledger.b"
    ;;
  check)
    [ "$(head -n 1 -- "$dir/ledger")" = start ] || fail 'The ledger is damaged.'
    if grep -qvxE 'start|a|b' -- "$dir/ledger"; then fail 'The ledger is damaged.'; fi
    for each in a b; do
      if grep -qx "$each" -- "$dir/ledger" || [ -e "$dir/pending.$each" ]; then continue; fi
      fail "The line of worker $each is neither pending nor in the ledger."
    done
    ;;
esac
