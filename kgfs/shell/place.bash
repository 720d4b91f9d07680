# cd and pwd: where one is.

function cd {
    local __kgfs_from=$PWD __kgfs_status=0 __kgfs_mountpoints __kgfs_root __kgfs_rel
    if ! __kgfs_mounts; then
        builtin cd "$@" || return
        return 0
    fi
    builtin cd "$@" 2>/dev/null || __kgfs_status=$?
    if [[ $__kgfs_status != 0 ]]; then
        ( __kgfs_clean; __kgfs_cd_failed "$@" )
        return "$__kgfs_status"
    fi
    # A link on the way: the place itself, where `..` leads to what holds it. -L asks for the way.
    case ${1-} in -*L*) return 0 ;; esac
    if __kgfs_on .; then
        builtin cd -P . || return
        OLDPWD=$__kgfs_from
    fi
    return 0
}

# Says why `cd` failed, once more and without the place in this file, and what is near.
function __kgfs_cd_failed {
    local said
    # shellcheck disable=SC2164
    said=$(builtin cd "$@" 2>&1 >/dev/null)
    printf '%s\n' "${0##*/}: cd: ${said#* cd: }" >&2
    [[ $# == 0 ]] || __kgfs_miss "${!#}"
}

function pwd {
    if [[ $# == 1 && $1 == -v ]] && __kgfs_inside; then
        ( __kgfs_clean; __kgfs_pwd )
    else
        builtin pwd "$@"
    fi
}

# What the place is, from its @stat; the first line with the path as it is here.
function __kgfs_pwd {
    local line number=0
    if [[ ! -f ./@stat ]]; then
        printf 'Current: %s\n' "$PWD/"
        return 0
    fi
    while IFS= read -r line; do
        if [[ $number == 0 && $line == Current:* ]]; then
            line=${line#Current:}
            line=Current:${line%%[! ]*}${PWD%/}/
        fi
        number=1
        printf '%s\n' "$line"
    done <./@stat
}
