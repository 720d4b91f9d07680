# grep: plain words are a search, expressions and -F -E -i -l -w -n are exact; all other flags are the real `grep -r`.

function grep {
    if __kgfs_inside "$@" || __kgfs_inside; then
        ( __kgfs_clean; __kgfs_grep "$@" )
    else
        command grep "$@"
    fi
}

# What makes words an expression.
__kgfs_signs='[][\\^$.*+?|(){}]'

function __kgfs_grep {
    local argument rest only='' flags='' numbers='' exact='' unknown='' recursive='' implied='' expressions='' pattern
    local operand status=0 one
    local -a words=() operands=() original=("$@")
    while [[ $# -gt 0 ]]; do
        argument=$1
        shift
        if [[ -n $only || $argument != -?* ]]; then
            words+=("$argument")
            continue
        fi
        case $argument in
            --) only=1 ;;
            --color | --color=* | --colour | --colour=* | --with-filename) ;;
            --fixed-strings) flags+=F exact=1 ;;
            --extended-regexp) flags+=E exact=1 ;;
            --ignore-case) flags+=i exact=1 ;;
            --word-regexp) flags+=w exact=1 ;;
            --files-with-matches) flags+=l exact=1 ;;
            --line-number) numbers=1 exact=1 ;;
            --recursive) recursive=1 exact=1 ;;
            --directories=* | --dereference-recursive) recursive=1 unknown=1 ;;
            --regexp=* | --file=*) expressions=1 unknown=1 ;;
            --*) unknown=1 ;;
            *)
                rest=${argument#-}
                while [[ -n $rest ]]; do
                    case ${rest:0:1} in
                        F | E | i | l | w) flags+=${rest:0:1} exact=1 ;;
                        y) flags+=i exact=1 ;;
                        n) numbers=1 exact=1 ;;
                        r) recursive=1 exact=1 ;;
                        R | d) recursive=1 unknown=1 ;;
                        H) ;;
                        [efABCmD]) # These take an argument, here or in the next word.
                            unknown=1
                            [[ ${rest:0:1} != [ef] ]] || expressions=1
                            [[ ${#rest} -gt 1 || $# == 0 ]] || shift
                            break
                            ;;
                        *) unknown=1 ;;
                    esac
                    rest=${rest:1}
                done
                ;;
        esac
    done
    pattern=${words[0]-}
    operands=("${words[@]}")
    [[ -n $expressions || ${#words[@]} == 0 ]] || operands=("${words[@]:1}")
    if [[ ${#words[@]} == 0 && -z $expressions ]]; then
        command grep "${original[@]}"
        return
    fi
    if [[ ${#operands[@]} == 0 ]]; then
        # Nothing is named: what comes in by a pipe or from a file, else the current directory.
        if __kgfs_piped; then
            command grep "${original[@]}"
            return
        fi
        operands=(.)
        implied=1
    fi
    # Ours are directories of a mount alone; a file, or a place elsewhere, is the real tool's.
    for operand in "${operands[@]}"; do
        if [[ -d $operand ]] && __kgfs_on "$operand"; then
            [[ -n $recursive ]] || recursive=add
            __kgfs_asked "$operand" @grep || unknown=1
        else
            unknown=1
        fi
    done
    if [[ -z $pattern || $pattern == *$'\n'* || ${#pattern} -gt 240 || ${flags} == *E*F* || ${flags} == *F*E* ]]; then
        unknown=1
    fi
    [[ $pattern != *\\* || $flags == *[EF]* ]] || unknown=1
    if [[ -n $unknown ]]; then
        __kgfs_grep_really
        return
    fi
    status=1
    for operand in "${operands[@]}"; do
        __kgfs_on "$operand"
        one=0
        if [[ -n $exact ]]; then
            __kgfs_grep_exact "$operand" || one=$?
        else
            __kgfs_grep_words "$operand" || one=$?
        fi
        [[ $one != 0 || $status == 2 ]] || status=0
        [[ $one -lt 2 ]] || status=$one
    done
    return "$status"
}

# Whether standard input is part of the command: a pipe or a file that the shell itself does not
# have as its own. What a program that runs this shell has left there is nobody's text.
function __kgfs_piped {
    [[ -p /dev/fd/0 || -f /dev/fd/0 || -S /dev/fd/0 ]] || return 1
    [[ $(stat -Lc %d:%i /dev/fd/0 2>/dev/null) != "$__kgfs_own_input" ]]
}

# __kgfs_asked DIR AREA: whether a query path stands in the directory.
function __kgfs_asked {
    [[ -d ${1%/}/$2 && ! -L ${1%/}/$2 ]]
}

# The real tool with the words as they were written, and through directories.
function __kgfs_grep_really {
    local status
    [[ $recursive != add ]] || original=(-r "${original[@]}")
    __kgfs_run grep "${original[@]}"
    status=$?
    [[ $status == 0 ]] || __kgfs_miss "${operands[@]}"
    return "$status"
}

# __kgfs_prefix DIR: as __kgfs_before, what paths in answers begin with (the root's own path, see `mount --path-prefix`).
function __kgfs_prefix {
    local line=
    __kgfs_before=$__kgfs_root
    [[ ! -f $__kgfs_root/@stat ]] || IFS= read -r line <"$__kgfs_root/@stat"
    line=${line#Current:}
    line=${line#"${line%%[! ]*}"}
    [[ -z $line ]] || __kgfs_before=${line%/}
}

# __kgfs_grep_exact DIR: lines that match, as `grep -r` of DIR writes them, from the query path @grep/-r.
function __kgfs_grep_exact {
    local directory=$1 given=r regex=$pattern letter path status
    for letter in i F w l; do
        [[ $flags != *$letter* ]] || given+=$letter
    done
    if [[ $flags != *[EF]* ]]; then
        # A basic expression as an extended one: there these signs are themselves.
        if [[ $regex == '*'* || ($regex == *'['* && $regex == *[+?\|\(\){}]*) ]]; then
            __kgfs_grep_one_really "$directory"
            return
        fi
        for letter in + '?' '|' '(' ')' '{' '}'; do regex=${regex//"$letter"/"\\$letter"}; done
    fi
    __kgfs_encode "$regex"
    path=${directory%/}/@grep/-$given/$__kgfs_component
    # The answer is made when it is looked up: the size is known then.
    if [[ ! -f $path ]]; then
        # Not a question that can be answered so (or not an expression at all): the real tool says what it is.
        __kgfs_grep_one_really "$directory"
        return
    fi
    [[ -s $path ]] || return 1
    __kgfs_shown "$directory"
    KGFS_DIR=$__kgfs_shown KGFS_NUMBERS=$numbers KGFS_LIST=${given//[!l]/} command awk '
        BEGIN {
            before = ENVIRON["KGFS_DIR"]
            numbers = ENVIRON["KGFS_NUMBERS"]; list = ENVIRON["KGFS_LIST"]
        }
        list != "" || numbers != "" { print before $0; next }
        match($0, /:[0-9]+:/) { print before substr($0, 1, RSTART) substr($0, RSTART + RLENGTH) }
    ' <"$path"
    status=$?
    return "$status"
}

# __kgfs_shown DIR: as __kgfs_shown, what `grep -r` writes before what lies in the directory.
function __kgfs_shown {
    __kgfs_shown=${1%/}/
    [[ -z $implied ]] || __kgfs_shown=
}

# The real tool for one directory, with the flags that are known.
function __kgfs_grep_one_really {
    local given=$flags
    local -a place=(-- "$1")
    [[ -z $implied ]] || place=()
    __kgfs_run grep "-r${given}${numbers:+n}" -e "$pattern" "${place[@]}"
}

# __kgfs_grep_words DIR: words without a flag: a search by meaning, for one word by words; an expression exactly, and
# where that finds nothing by its words.
function __kgfs_grep_words {
    local directory=$1 query=$pattern
    local -a each=()
    if ! __kgfs_asked "$directory" @search; then
        __kgfs_grep_exact "$directory"
        return
    fi
    read -r -a each <<<"$pattern"
    if __kgfs_plain "$pattern"; then
        if [[ ${#each[@]} -gt 1 ]]; then
            __kgfs_search "$directory" semantic "$query"
        else
            __kgfs_search "$directory" keyword "$query" || __kgfs_grep_exact "$directory"
        fi
        return
    fi
    __kgfs_grep_exact "$directory"
    case $? in
        0) return 0 ;;
        1) ;;
        *) return 2 ;;
    esac
    query=${pattern//$__kgfs_signs/ }
    read -r -a each <<<"$query"
    query=${each[*]}
    [[ -n $query ]] || return 1
    __kgfs_search "$directory" nothing "$query"
}

# Whether a pattern is words and no expression. A dot and a question mark may end a word.
function __kgfs_plain {
    local text=$1
    text=${text//'. '/ }
    text=${text//'? '/ }
    text=${text%[.?]}
    [[ $text != *$__kgfs_signs* && $text == *[![:space:][:punct:]]* ]]
}

# __kgfs_search DIR KIND WORDS: the hundred best as `path: [score] snippet`; fails when there are none.
function __kgfs_search {
    local directory=$1 kind=$2 path said quoted mode=
    __kgfs_encode "$3"
    __kgfs_quote "$pattern"
    quoted=$__kgfs_quoted
    __kgfs_quote "$directory"
    case $kind in
        semantic) said="ranked by meaning and words, not exact. Exact: grep -F $quoted $__kgfs_quoted" ;;
        keyword) said="ranked by this word, not exact. Exact: grep -F $quoted $__kgfs_quoted" ;;
        nothing)
            said="nothing matches exactly; these are ranked by meaning and words. Exact: grep -E $quoted $__kgfs_quoted"
            kind=semantic
            ;;
    esac
    path=${directory%/}/@search/$kind/limit=100/$__kgfs_component/results.txt
    if ! __kgfs_errors=$(command cat -- "$path" 2>&1 >/dev/null); then
        __kgfs_on "$directory"
        case $__kgfs_errors in
            *'timed out'*)
                printf '%s\n' 'grep: The answer took too long; ask again when the model is loaded, or in a narrower place:' \
                    "  grep $quoted $__kgfs_quoted | head -n 20" >&2
                ;;
            *) __kgfs_said grep ;;
        esac
        return 2
    fi
    [[ -s $path ]] || return 1
    # While the model is loading, or vectors are missing, the answer says what took part.
    IFS= read -r mode <"${path%txt}jsonl"
    mode=${mode##*'"mode":"'}
    mode=${mode%%'"'*}
    [[ $kind != semantic || $mode == hybrid ]] || said=${said/meaning and words/"words ($mode)"}
    printf '%s\n' "grep: $said" >&2
    __kgfs_on "$directory"
    __kgfs_prefix
    __kgfs_shown "$directory"
    # A path beneath the directory is written as `grep -r` writes it; what belongs to it and lies elsewhere, whole.
    KGFS_PREFIX=$__kgfs_before/ KGFS_ROOT=$__kgfs_root/ KGFS_REL=${__kgfs_rel:+$__kgfs_rel/} KGFS_DIR=$__kgfs_shown \
        command awk '
        BEGIN {
            prefix = ENVIRON["KGFS_PREFIX"]; root = ENVIRON["KGFS_ROOT"]; rel = ENVIRON["KGFS_REL"]
            directory = ENVIRON["KGFS_DIR"]
        }
        {
            line = $0
            if (index(line, prefix) == 1) {
                line = substr(line, length(prefix) + 1)
                if (rel == "" || index(line, rel) == 1) line = directory substr(line, length(rel) + 1)
                else line = root line
            }
            print line
        }
    ' <"$path"
}
