#!/usr/bin/env bash
# Puts a pending configuration in force. Usage: program.sh op|recover|check DIR
set -euo pipefail
verb=$1 dir=$2

install_config() {
  cat -- "$dir/pending" >"$dir/config"
}

fail() { echo "$1"; exit 1; }

case $verb in
  op)
    install_config
    rm -- "$dir/pending"
    ;;
  recover)
    rm -f -- "$dir/config.tmp"
    ;;
  check)
    if cmp -s -- "$dir/config" <(echo 'limit 20'); then exit 0; fi
    cmp -s -- "$dir/config" <(echo 'limit 10') || fail 'The configuration is neither the old one nor the new one.'
    [ -e "$dir/pending" ] || fail 'The pending configuration is gone, and not in force.'
    ;;
esac
