# find: -date, -entity_type and others ask the graph by the query path @find; what else stands in the expression is
# judged by the real find, on what was found. Without them it is the real find alone, but for a search by name: `kgfs find`
# asks the daemon, which takes a fifth of the time that thousands of directories take through the kernel.

function find {
    if __kgfs_inside "$@" || __kgfs_inside; then
        ( __kgfs_clean; __kgfs_find "$@" )
    else
        command find "$@"
    fi
}

function __kgfs_find {
    local argument value wanted='' action='' counted='' facts='' problem='' place status=0 depth='' at_root=''
    local -a places=() options=() tests=() predicates=() original=("$@")
    while [[ $# -gt 0 ]]; do
        case $1 in
            -H | -L | -P | -O* | -D) options+=("$1") ;;
            *) break ;;
        esac
        [[ $1 != -D || $# -lt 2 ]] || { options+=("$2") && shift; }
        shift
    done
    while [[ $# -gt 0 && $1 != -?* && $1 != '!' && $1 != '(' && $1 != ')' && $1 != , ]]; do
        places+=("$1")
        shift
    done
    [[ ${#places[@]} -gt 0 ]] || places=(.)
    while [[ $# -gt 0 ]]; do
        argument=$1
        value=${2-}
        shift
        case $argument in
            -date) __kgfs_predicate 'date=' ;;
            -from) __kgfs_predicate 'from=' ;;
            -to) __kgfs_predicate 'to=' ;;
            -entity_type) __kgfs_predicate 'type=' ;;
            -relationship) __kgfs_predicate 'relationship=' ;;
            -has_subtopics) __kgfs_predicate 'has_subtopics=' ;;
            -subject) __kgfs_predicate 'subject=' ;;
            -object) __kgfs_predicate 'object=' ;;
            -mentions_entity | -mentions) __kgfs_predicate 'mentions=' ;;
            -topic) __kgfs_predicate 'topic=' ;;
            -related_to) __kgfs_predicate 'related_to=' ;;
            -has_facts_count)
                counted=1
                case $value in
                    '+'*) value=${value#+} && __kgfs_predicate 'facts>' ;;
                    '-'*) value=${value#-} && __kgfs_predicate 'facts<' ;;
                    '<'* | '>'* | '='*) __kgfs_predicate 'facts' ;;
                    *) __kgfs_predicate 'facts=' ;;
                esac
                ;;
            -type)
                case $value in
                    ?,* | ? | '') tests+=("$argument" "$value") ;;
                    *) __kgfs_predicate 'type=' ;;
                esac
                ;;
            -maxdepth | -mindepth | -depth | -d | -prune | -xdev | -mount) depth=$argument tests+=("$argument") && continue ;;
            -o | -or | , | '(' | ')' | '\(') problem=$argument tests+=("$argument") && continue ;;
            '!' | -not)
                case $value in
                    -date | -from | -to | -entity_type | -relationship | -has_* | -subject | -object | -mentions* | \
                        -topic | -related_to)
                        problem=$argument
                        ;;
                esac
                tests+=("$argument")
                continue
                ;;
            -a | -and) continue ;;
            -print | -print0 | -ls | -delete | -quit) action=1 tests+=("$argument") && continue ;;
            -printf | -fprint | -fprint0 | -fls) action=1 tests+=("$argument" "$value") ;;
            -exec | -execdir | -ok | -okdir | -fprintf)
                action=1
                tests+=("$argument" "$@")
                break
                ;;
            *)
                tests+=("$argument")
                continue
                ;;
        esac
        [[ $# == 0 ]] || shift
    done
    if [[ -z $wanted ]]; then
        if [[ ${#places[@]} == 1 && ${#options[@]} == 0 ]] && __kgfs_by_name "${places[0]}" "${tests[@]}"; then
            place=${places[0]}
            [[ $place != . ]] || place=./
            status=0
            [[ -n $__kgfs_rel ]] || at_root=1
            __kgfs_run env -u KGFS_STORE kgfs -q --no-color find "${tests[@]}" -- "$place" || status=$?
            # At the root other file systems stand, of which the graph knows nothing.
            [[ -z $at_root ]] ||
                command find "${place%/}/workspace" "${place%/}/@kv" -mindepth 1 "${tests[@]}" 2>/dev/null
            return "$status"
        fi
        __kgfs_run find "${original[@]}"
        status=$?
        [[ $status == 0 ]] || __kgfs_miss "${places[@]}"
        return "$status"
    fi
    if [[ -n $problem || -n $depth ]]; then
        printf '%s\n' "find: '${problem:-$depth}' does not go with $wanted; give tests that must all hold." >&2
        return 1
    fi
    # Behind a directory stands the number of its facts, which is its size, when facts were asked for; only for a reader,
    # so not where the output goes into a pipe or a file that the command itself has put there.
    { [[ -z $counted || $(stat -Lc %d:%i /dev/fd/3) != "$__kgfs_own_output" ]] || facts='  # %s facts'; } 3>&1 2>/dev/null
    for place in "${places[@]}"; do
        __kgfs_find_in "$place" || status=1
    done
    return "$status"
}

# __kgfs_by_name PLACE TEST...: whether the tests are one -name, with one -type or without, and mean the same to `kgfs find`:
# beneath a directory on a mount, with a pattern of stars only that the place itself does not fit by being called `.`.
function __kgfs_by_name {
    local place=$1 named='' kind=''
    shift
    [[ -d $place && ! -L $place && $place != -* ]] && __kgfs_on "$place" && command -v kgfs >/dev/null || return 1
    [[ -z $__kgfs_rel || -d ${place%/}/@find ]] || return 1 # another file system: workspace/
    while [[ $# -gt 1 ]]; do
        case $1 in
            -name)
                # shellcheck disable=SC2053
                [[ -z $named && -n $2 && $2 != *[][\\?/]* && . != $2 ]] || return 1
                named=1
                ;;
            -type) [[ -z $kind && $2 == [dfl] ]] && kind=1 || return 1 ;;
            *) return 1 ;;
        esac
        shift 2
    done
    [[ -n $named && $# == 0 ]]
}

# __kgfs_predicate NAME: a component of the query from $argument and $value.
function __kgfs_predicate {
    wanted=$argument
    [[ -n $value ]] || problem="${argument#-} ''"
    __kgfs_encode "x$1$value"
    predicates+=("${__kgfs_component#x}")
}

# __kgfs_find_in PLACE: what satisfies the predicates beneath one place, as the real find with the other tests shows it.
function __kgfs_find_in {
    local place=$1 query target beneath status=0 number
    local -a found=() shown=()
    if [[ ! -d $place ]] || ! __kgfs_on "$place" || [[ ! -d ${place%/}/@find ]]; then
        if [[ -d $place ]]; then
            printf '%s\n' "find: '$place' is no place in the graph, so $wanted means nothing there." >&2
        else
            __kgfs_run find "$place" -maxdepth 0
            __kgfs_miss "$place"
        fi
        return 1
    fi
    beneath=${__kgfs_rel:+$__kgfs_rel/}
    query=${place%/}/@find
    for target in "${predicates[@]}"; do query+=/$target; done
    # %l is a relative link inside the mount: what follows its steps upward is the path from the root.
    mapfile -d '' -t found < <(command find "$query" -mindepth 1 -maxdepth 1 -type l -printf '%l\0' 2>/dev/null)
    if [[ ${#found[@]} == 0 ]] && ! __kgfs_errors=$(command ls -- "$query" 2>&1); then
        case $__kgfs_errors in
            *'timed out'*) printf '%s\n' "find: $__kgfs_errors" 'Try a narrower place.' >&2 ;;
            *) __kgfs_said find ;;
        esac
        return 1
    fi
    [[ ${#found[@]} -gt 0 ]] || return 0
    for target in "${found[@]}"; do
        while [[ $target == ../* ]]; do target=${target#../}; done
        # As the real find writes it where it lies beneath the place; what belongs to the place and lies elsewhere, whole.
        if [[ $target == "$beneath"* ]]; then
            target=${place%/}/${target:${#beneath}}
        else
            target=$__kgfs_root/$target
        fi
        shown+=("$target")
    done
    [[ -n $action ]] || tests+=('(' -type d -printf "%p/$facts\n" -o -print ')')
    for ((number = 0; number < ${#shown[@]}; number += 1000)); do
        command find "${options[@]}" "${shown[@]:number:1000}" -maxdepth 0 "${tests[@]}" || status=1
    done
    return "$status"
}
