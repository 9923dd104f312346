#!/usr/bin/env bash
# A review gate over stdio: JSON-RPC 2.0, one message a line. Bash holds the lock and the file, jq decides.
export LC_ALL=C
readonly HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/store.bash"

HOME_DIRECTORY="" LOADED="" TROUBLE=""

# A decider that kept the lock open would hold it for good.
start_decider() {
    coproc DECIDER { [[ -z $LOCK ]] || exec {LOCK}<&-; exec jq -n -r -R --unbuffered -f "$HERE/decide.jq"; }
}

# Four lines to DECIDED; fails when the decider is gone.
decide() {
    DECIDED=()
    printf '%s\n%s\n%s\n' "$1" "$LOADED" "$TROUBLE" >&"${DECIDER[1]}" &&
        mapfile -t -n 4 -u "${DECIDER[0]}" DECIDED && (( ${#DECIDED[@]} == 4 ))
}

answer() {
    local line=$1 locked="" out=()
    LOADED="" TROUBLE=""
    if [[ $line == *review_gate* ]]; then
        if [[ -z $HOME_DIRECTORY ]]; then
            TROUBLE="no directory was opened"
        elif take_lock; then
            locked=yes
            load_state
        else
            TROUBLE="the reviews could not be locked"
        fi
    fi
    decide "$line" 2>/dev/null || { start_decider; decide "$line" || DECIDED=(); }
    out=("${DECIDED[@]}")
    if [[ -z ${out[0]-} ]]; then
        [[ $line =~ \"id\":\ *([0-9]+) ]]
        out=("{\"jsonrpc\":\"2.0\",\"id\":${BASH_REMATCH[1]:-1},\"error\":{\"code\":-32000,\"message\":\"no decision was made\"}}")
    elif [[ -n ${out[1]-} ]] && ! save_state "${out[1]}"; then
        out[0]=${out[2]}
    fi
    [[ -z $locked ]] || drop_lock
    [[ -z ${out[3]-} ]] || use_directory "${out[3]}"
    printf '%s\n' "${out[0]}"
}

# A decider that was killed is started anew; its broken pipe must not take this process with it.
trap '' PIPE
start_decider
while IFS= read -r message; do
    answer "$message"
    [[ $message != *'"method":"shutdown"'* ]] || break
done
