# Functions of kgfs for bash 4.4 and later: they apply to paths on a mount of kgfs and hand everything else, and every
# flag that they do not know, to the real tools.
#
# What all share: which mount a path lies on, a subshell in which nothing that the user has set matters, and how
# a tool is run so that its errors can be looked at.
#
# Rules. What runs in the user's shell (the functions named like tools, __kgfs_inside, cd) sets nothing, expands no glob
# and compares without patterns that an option could change. Everything else runs in a subshell after __kgfs_clean.

# Aliases would be expanded in what follows; they come back at the end (end.bash).
shopt -q expand_aliases && __kgfs_aliases=1
shopt -u expand_aliases

# __kgfs_mounts: the mountpoints of kgfs, as __kgfs_mountpoints; fails when there are none. No program is started.
function __kgfs_mounts {
    local text line rest IFS=$' \t\n'
    __kgfs_mountpoints=()
    IFS= read -r -d '' text </proc/self/mountinfo
    [[ $text == *' - fuse.kgfs '* ]] || return 1
    while IFS= read -r line; do
        [[ $line == *' - fuse.kgfs '* ]] || continue
        read -r _ _ _ _ line rest <<<"$line"
        # The kernel writes white space and backslashes as octal numbers.
        [[ $line != *\\* ]] || printf -v line %b "$line"
        __kgfs_mountpoints+=("$line")
    done <<<"$text"
}

# __kgfs_on PATH: whether a path lies on a mount; then __kgfs_root is the mountpoint and __kgfs_rel the path from there,
# as it is written, without slashes at its ends. __kgfs_mounts was called.
function __kgfs_on {
    local path=$1 mount part whole
    [[ $path == /* ]] || path=$PWD/$path
    case $path/ in
        */../*) path=$(realpath -m -- "$path" 2>/dev/null && printf x) && path=${path%$'\nx'} || return 1 ;;
        *//* | */./*)
            path=$path/
            while [[ $path == *//* ]]; do path=${path//'//'//}; done
            while [[ $path == */./* ]]; do path=${path//'/./'//}; done
            ;;
    esac
    while [[ $path == ?*/ ]]; do path=${path%/}; done
    for whole in 0 1; do
        __kgfs_root=
        for mount in "${__kgfs_mountpoints[@]}"; do
            [[ $path/ == "$mount"/* && ${#mount} -gt ${#__kgfs_root} ]] && __kgfs_root=$mount
        done
        if [[ -n $__kgfs_root ]]; then
            __kgfs_rel=${path:${#__kgfs_root}}
            __kgfs_rel=${__kgfs_rel#/}
            return 0
        fi
        # A link elsewhere may lead to a mount.
        [[ $whole == 0 ]] || return 1
        part=$path
        while [[ -n $part && ! -L $part ]]; do part=${part%/*}; done
        [[ -n $part ]] || return 1
        path=$(realpath -m -- "$path" 2>/dev/null && printf x) && path=${path%$'\nx'} || return 1
    done
}

# __kgfs_inside ARGUMENT...: whether one of the arguments that are no options lies on a mount, or, when there are none,
# the current directory does. For a quick look; the functions look again.
function __kgfs_inside {
    local argument only='' __kgfs_mountpoints __kgfs_root __kgfs_rel seen=''
    __kgfs_mounts || return 1
    for argument in "$@"; do
        if [[ -z $only && $argument == -- ]]; then
            only=1
        elif [[ -n $only || $argument != -?* ]]; then
            seen=1
            [[ -n $argument ]] && __kgfs_on "$argument" && return 0
        fi
    done
    [[ -z $seen ]] && __kgfs_on .
}

# __kgfs_clean: in a subshell, undoes whatever the user has set that could change what a line of ours means.
function __kgfs_clean {
    set +aefuvxBCETH +o posix +o pipefail
    shopt -u nullglob failglob dotglob nocaseglob nocasematch extdebug xpg_echo lastpipe localvar_inherit \
        patsub_replacement assoc_expand_once 2>/dev/null
    set -B
    trap - DEBUG ERR RETURN
    unset -v GLOBIGNORE CDPATH
    IFS=$' \t\n'
    __kgfs_mounts
}

# __kgfs_run TOOL ARGUMENT...: runs the real tool; what it writes to stderr is written after it has ended, and stays in
# __kgfs_errors. Its standard output is ours: a terminal stays one.
function __kgfs_run {
    local status
    { __kgfs_errors=$(command -- "$@" 2>&1 1>&3 3>&-); } 3>&1
    status=$?
    [[ -z $__kgfs_errors ]] || printf '%s\n' "$__kgfs_errors" >&2
    if [[ $status != 0 && $__kgfs_errors == *'timed out'* ]]; then
        printf '%s\n' "Try a narrower place, or look at the first lines only: ${*:1:1} … | head -n 20" >&2
    fi
    return "$status"
}

# __kgfs_encode TEXT: as __kgfs_component, the text as it stands in a path that is a query.
function __kgfs_encode {
    local text=$1
    text=${text//'%25'/%2525}
    text=${text//'%2F'/%252F}
    text=${text//'%2E'/%252E}
    text=${text//'/'/%2F}
    [[ $text != .* ]] || text=%2E${text:1}
    __kgfs_component=$text
}

# __kgfs_quote TEXT: as __kgfs_quoted, the text as one types it.
function __kgfs_quote {
    __kgfs_quoted=$1
    case $1 in
        *[![:print:]]* | *\'*) printf -v __kgfs_quoted %q "$1" ;;
        *[!A-Za-z0-9_./,:@%+-]* | '') __kgfs_quoted="'$1'" ;;
    esac
}

# __kgfs_said WHAT: why a query path refused; the root of the mount is __kgfs_root.
function __kgfs_said {
    local sentence
    IFS= read -r sentence 2>/dev/null <"$__kgfs_root/@status/last_error.txt"
    printf '%s: %s\n' "$1" "${sentence:-this cannot be asked; see $__kgfs_root/AGENTS.md}" >&2
}

# Standard input and output as the shell was started with them: a pipe there is not part of the command.
__kgfs_own_input=$(stat -Lc %d:%i /dev/fd/0 2>/dev/null)
{ __kgfs_own_output=$(stat -Lc %d:%i /dev/fd/3 2>/dev/null); } 3>&1
