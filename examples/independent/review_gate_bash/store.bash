# The record of the reviews on disk. It is one line of JSON, written twice: a file whose two lines differ is damaged,
# whatever the damage still parses as. All functions speak through LOADED, TROUBLE and their status.

readonly LOCK_PATIENCE_S=4

LOCK=""

use_directory() {
    HOME_DIRECTORY=$1
    STATE_DIRECTORY=$1/.loki/state
    STATE_FILE=$STATE_DIRECTORY/review-gate.json
    NEW_FILE=$STATE_FILE.new
}

# The directory itself is locked, so there is no lock file that could be damaged, left over or deleted alone.
take_lock() {
    [[ -d $STATE_DIRECTORY ]] || mkdir -p -- "$STATE_DIRECTORY" || return 1
    { exec {LOCK}<"$STATE_DIRECTORY"; } || return 1
    flock -w "$LOCK_PATIENCE_S" "$LOCK" && return
    drop_lock
    return 1
}

drop_lock() {
    exec {LOCK}<&-
    LOCK=""
}

# A test like -e says "no" as well when the question failed; only the word of the system makes a file absent.
is_absent() {
    local answer
    answer=$(stat -c %F -- "$STATE_FILE" 2>&1) && return 1
    [[ $answer == *': No such file or directory' ]]
}

# The line that the file holds twice, to LINE.
read_twice() {
    local lines=()
    mapfile -t lines <"$1" || return 1
    LINE=${lines[0]-}
    (( ${#lines[@]} == 2 )) && [[ -n $LINE && $LINE == "${lines[1]}" ]]
}

load_state() {
    LOADED="" TROUBLE=""
    if [[ ! -f $STATE_FILE ]]; then
        is_absent && return
        # To open a pipe would wait for ever, so nothing but a regular file is opened.
        [[ -f $STATE_FILE ]] || { TROUBLE="the record of the reviews is no regular file, or cannot be reached"; return; }
    fi
    if read_twice "$STATE_FILE"; then
        LOADED=$LINE
    else
        TROUBLE="the record of the reviews is damaged, or cannot be read"
    fi
}

save_state() {
    if [[ -e $NEW_FILE || -L $NEW_FILE ]]; then
        rm -rf -- "$NEW_FILE" || return 1
    fi
    { printf '%s\n%s\n' "$1" "$1" >"$NEW_FILE"; } || return 1
    # printf makes a write of each line and tells only of the last one's failure, so it is read again.
    read_twice "$NEW_FILE" && [[ $LINE == "$1" ]] || return 1
    sync -- "$NEW_FILE" || return 1
    mv -fT -- "$NEW_FILE" "$STATE_FILE" || return 1
    # The new record stands already: a failure here cannot be told as "nothing changed".
    sync -- "$STATE_DIRECTORY" || echo "the directory of the reviews could not be synced" >&2
}
