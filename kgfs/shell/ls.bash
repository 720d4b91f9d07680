# ls: a slash behind directories and behind links to them; with -l the counts of entities.

function ls {
    if __kgfs_inside "$@"; then
        ( __kgfs_clean; __kgfs_ls "$@" )
    else
        command ls "$@"
    fi
}

function __kgfs_ls {
    local argument rest letter only='' long='' marks='' order='' color='' unknown='' letters='' links=L status
    local -a operands=() options=() original=("$@")
    while [[ $# -gt 0 ]]; do
        argument=$1
        shift
        if [[ -n $only || $argument != -?* ]]; then
            operands+=("$argument")
            continue
        fi
        case $argument in
            --) only=1 ;;
            --color | --color=always | --color=yes | --color=force) color=always ;;
            --color=auto | --color=tty | --color=if-tty) [[ ! -t 1 ]] || color=always ;;
            --color=*) color=never ;;
            --directory) options+=(-d) letters+=d ;;
            --recursive) options+=(-R) letters+=R ;;
            --size | --inode | --context) options+=("$argument") letters+=s ;;
            --all | --almost-all | --human-readable | --si | --reverse | --ignore-backups | --numeric-uid-gid | \
                --no-group | --author | --ignore=* | --hide=* | --block-size=* | --time-style=* | --width=* | \
                --tabsize=* | --time=* | --hide-control-chars | --literal | --sort=name)
                options+=("$argument")
                ;;
            --group-directories-first | --sort=*) order=1 options+=("$argument") ;;
            --full-time | --format=long | --format=verbose) long=1 options+=("$argument") ;;
            --format=*) options+=("$argument") ;;
            --file-type | --classify | --classify=* | --indicator-style=*) marks=1 options+=("$argument") ;;
            --*) unknown=1 ;;
            *)
                options+=("$argument")
                rest=${argument#-}
                while [[ -n $rest ]]; do
                    letter=${rest:0:1}
                    rest=${rest:1}
                    letters+=$letter
                    case $letter in
                        l | o | g | n) long=1 ;;
                        p | F) marks=1 ;;
                        t | S | c | u | U | v | X) order=1 ;;
                        I | T | w)
                            if [[ -z $rest && $# -gt 0 ]]; then
                                options+=("$1")
                                shift
                            fi
                            rest=
                            ;;
                        a | A | b | B | C | d | f | G | h | i | k | m | N | q | Q | r | R | s | x | 1) ;;
                        *) unknown=1 ;;
                    esac
                done
                ;;
        esac
    done
    [[ -z $color ]] || options+=("--color=$color")
    for argument in "${operands[@]:-.}"; do
        if ! __kgfs_on "$argument"; then
            unknown=1
        else
            # There links may lead nowhere, which `ls -L` would report; in the graph none does.
            case $__kgfs_rel/ in context/* | workspace/* | @session/*) links= ;; esac
        fi
    done
    # Links lead from entity to entity for ever.
    [[ $letters != *R* ]] || links=
    # `ls -dp DIR/` would say DIR//.
    [[ $letters != *d* ]] || __kgfs_ls_bare
    if [[ -n $unknown ]]; then
        __kgfs_run ls "${original[@]}"
    elif [[ -n $long ]]; then
        [[ -n $marks ]] || options+=(--file-type)
        __kgfs_ls_counted
    elif [[ -n $marks ]]; then
        __kgfs_run ls "${options[@]}" -- "${operands[@]}"
    elif [[ -n $order ]]; then
        __kgfs_ls_ordered
    else
        __kgfs_run ls "-p${links}" "${options[@]}" -- "${operands[@]}"
    fi
    status=$?
    [[ $status == 0 ]] || __kgfs_miss "${operands[@]}"
    return "$status"
}

# Directories without the slash that a glob such as A*/ leaves; a link needs it to be followed.
function __kgfs_ls_bare {
    local number bare
    for number in "${!operands[@]}"; do
        bare=${operands[number]}
        while [[ $bare == ?*/ ]]; do bare=${bare%/}; done
        [[ -z $bare || (-L $bare && -n $long) ]] || operands[number]=$bare
    done
}

# Sorted by what the entries themselves are (the date of a link is that of what it states): first the order, then the
# same names again in that order, so that a link to a directory is marked as one.
function __kgfs_ls_ordered {
    local -a names=()
    if [[ ${#operands[@]} -le 1 && -d ${operands[0]-.} && $letters != *[dRsi]* ]]; then
        mapfile -d '' -t names < <(command ls "${options[@]}" --color=never --zero -- "${operands[@]}" 2>/dev/null)
        # Too many for one command line, or none: as the real tool shows it.
        if [[ ${#names[@]} -gt 0 && ${#names[@]} -le 5000 ]] && builtin cd -- "${operands[0]-.}"; then
            __kgfs_run ls "${options[@]}" -U -d "-p${links}" -- "${names[@]}"
            return
        fi
    fi
    __kgfs_run ls -p "${options[@]}" -- "${operands[@]}"
}

# The long listing, with `# 47 facts, …` behind each directory of an entity and each link to one.
function __kgfs_ls_counted {
    local here=$PWD root='' first='' statuses
    # `ls -l DIR` prints no heading: what is listed is the operand.
    if [[ ${#operands[@]} -le 1 && $letters != *d* ]] && __kgfs_on "${operands[0]-.}"; then
        [[ ! -d ${operands[0]-.} ]] || first=$__kgfs_root/$__kgfs_rel
    fi
    if __kgfs_on .; then here=$__kgfs_rel; else __kgfs_on "${operands[0]}"; fi
    root=$__kgfs_root
    __kgfs_run ls "${options[@]}" -- "${operands[@]}" |
        KGFS_ROOT=$root KGFS_HERE=$here KGFS_FIRST=$first command awk '
        # A path as it is written, from the root of the mount.
        function place(path,    parts, n, i, kept, out) {
            if (substr(path, 1, 1) == "/") {
                if (index(path "/", root "/") != 1) return "?"
                path = substr(path, length(root) + 1)
            } else path = here "/" path
            n = split(path, parts, "/")
            kept = 0
            for (i = 1; i <= n; i++) {
                if (parts[i] == "" || parts[i] == ".") continue
                if (parts[i] == "..") { if (kept) kept--; continue }
                out[++kept] = parts[i]
            }
            path = out[1]
            for (i = 2; i <= kept; i++) path = path "/" out[i]
            return path
        }
        function counts(path,    line, field, number) {
            if (path !~ /^entities\/[^\/]+\/[^\/]+$/) return ""
            if (!loaded) {
                loaded = 1
                while ((getline line < (root "/entities/_index.tsv")) > 0) {
                    split(line, field, "\t")
                    said[field[8]] = field[5] " fact" (field[5] == 1 ? "" : "s") ", " field[6] " relationship" \
                        (field[6] == 1 ? "" : "s") ", " field[7] " chunk" (field[7] == 1 ? "" : "s")
                }
            }
            return said[path]
        }
        BEGIN {
            root = ENVIRON["KGFS_ROOT"]; here = ENVIRON["KGFS_HERE"]
            base = ENVIRON["KGFS_FIRST"]
        }
        /^[dl]/ && /\/$/ {
            sub(/\/+$/, "/")
            name = $0
            gsub(/\033\[[0-9;]*[mK]/, "", name)
            sub(/\/+$/, "", name)
            if (substr(name, 1, 1) == "l") {
                if (!sub(/^.* -> (\.\.\/)*/, "", name)) { print; next }
                found = counts(name)
            } else {
                sub(/^.* /, "", name)
                found = counts(place(base == "" || substr(name, 1, 1) == "/" ? name : base "/" name))
            }
            if (found != "") { print $0 "  # " found; next }
        }
        /:$/ && !/^[-dlbcps][-rwxsStT]/ { base = substr($0, 1, length($0) - 1) }
        { print }
    '
    statuses=("${PIPESTATUS[@]}")
    return "${statuses[0]}"
}
