# cat, wc, head, tail: what stands in files, and what a directory comes to.

function cat {
    if __kgfs_inside "$@" && [[ $# != 0 ]]; then
        ( __kgfs_clean; __kgfs_cat "$@" )
    else
        command cat "$@"
    fi
}

function __kgfs_cat {
    local argument only='' status=0 summaries=''
    local -a operands=() options=()
    for argument in "$@"; do
        if [[ -n $only || $argument != -?* ]]; then
            operands+=("$argument")
            [[ ! -d $argument ]] || ! __kgfs_on "$argument" || ! __kgfs_summed || summaries=1
        elif [[ $argument == -- ]]; then
            only=1
        elif [[ $argument == --help || $argument == --version ]]; then
            command cat "$@"
            return
        else
            options+=("$argument")
        fi
    done
    if [[ -z $summaries ]]; then
        __kgfs_run cat "$@"
        status=$?
    else
        if [[ ${#options[@]} -gt 0 ]]; then
            __kgfs_cat_each "${operands[@]}" | command cat "${options[@]}"
            status=${PIPESTATUS[0]}
        else
            __kgfs_cat_each "${operands[@]}"
            status=$?
        fi
    fi
    [[ $status == 0 ]] || __kgfs_miss "${operands[@]}"
    return "$status"
}

function __kgfs_cat_each {
    local operand status=0
    for operand in "$@"; do
        if [[ -d $operand ]] && __kgfs_on "$operand" && __kgfs_summed; then
            __kgfs_summary "$operand"
        else
            __kgfs_run cat -- "$operand"
        fi || status=1
    done
    return "$status"
}

# Whether directories there are summed up: those of the graph are; what was stored and what asks are what they are.
function __kgfs_summed {
    case $__kgfs_rel/ in
        context/* | workspace/* | notes/* | sources/* | @*) return 1 ;;
    esac
}

# __kgfs_summary DIR: what is to be said of a directory in a page; before it, of a link in relationships/ and its like,
# what the link states. __kgfs_root and __kgfs_rel are those of DIR.
function __kgfs_summary {
    local directory=$1 name way parent file
    while [[ $directory == ?*/ ]]; do directory=${directory%/}; done
    way=$__kgfs_root/$__kgfs_rel
    name=${way##*/}
    parent=${way%/*}
    if [[ -L $way && -f $parent/_edges.jsonl ]]; then
        __kgfs_edge "$parent" "$name"
        printf '\n'
    fi
    [[ $__kgfs_rel != facts ]] || directory=$directory/by_type
    for file in summary.txt definition.txt content.txt _toc.txt all.jsonl _edges.jsonl _counts.tsv _index.txt _index.tsv \
        _ontology.json _usage.txt AGENTS.md; do
        if [[ -f $directory/$file ]]; then
            __kgfs_run cat -- "$directory/$file"
            return
        fi
    done
    case $__kgfs_rel in
        facts/by_type/* | */facts/by_type/* | */mentioned_in/by_type/* | facts/by_date/*/* | facts/undated | */facts)
            # The facts, one a line.
            # shellcheck disable=SC2033
            command find "$directory/" -mindepth 1 -maxdepth 1 -name '*.json' -print0 |
                LC_ALL=C command sort -z | command xargs -0 -r cat --
            return "${PIPESTATUS[2]}"
            ;;
    esac
    if [[ -f $directory/@stat ]]; then
        __kgfs_run cat -- "$directory/@stat"
    else
        __kgfs_run cat -- "$directory"
    fi
}

# Reads the fields of JSON objects that stand one a line and hold no objects (fact files, _edges.jsonl).
__kgfs_json='
    # The value of a field as text; "" for null and for what is not there.
    function field(line, key,    at, value, letter, out) {
        at = index(line, "\"" key "\":")
        if (!at) return ""
        value = substr(line, at + length(key) + 3)
        if (substr(value, 1, 1) != "\"") {
            sub(/[,}].*$/, "", value)
            return value == "null" ? "" : value
        }
        value = substr(value, 2)
        out = ""
        while (match(value, /["\\]/)) {
            out = out substr(value, 1, RSTART - 1)
            if (substr(value, RSTART, 1) == "\"") return out
            letter = substr(value, RSTART + 1, 1)
            value = substr(value, RSTART + 2)
            if (letter == "u") { out = out "?"; value = substr(value, 5) }
            else if (letter ~ /[bfnrt]/) out = out " "
            else out = out letter
        }
        return out
    }
    # 1234567 as 1,234,567.
    function grouped(number,    text) {
        text = sprintf("%.0f", number)
        while (text ~ /[0-9][0-9][0-9][0-9]/) {
            match(text, /[0-9][0-9][0-9][0-9]+/)
            text = substr(text, 1, RSTART + RLENGTH - 4) "," substr(text, RSTART + RLENGTH - 3)
        }
        return text
    }
    # 500000000.0 as 500,000,000; 3.25 stays.
    function amount(value) { return value + 0 == int(value) ? grouped(value) : value }
'

# __kgfs_edge DIR NAME: what the link NAME in DIR states, from DIR/_edges.jsonl.
function __kgfs_edge {
    KGFS_NAME=$2 KGFS_TYPE=${1##*/} command awk "$__kgfs_json"'
        BEGIN { name = ENVIRON["KGFS_NAME"] }
        field($0, "object_slug") == name || field($0, "subject_slug") == name || field($0, "slug") == name {
            date = field($0, "date"); value = field($0, "value"); description = field($0, "description")
            if (length(date) > length(best_date)) best_date = date
            if (value != "" && best_value == "") best_value = amount(value) " " field($0, "unit")
            if (field($0, "chunks") != "") together = field($0, "chunks")
            if (description != "" && !(description in said)) {
                said[description] = 1
                lines[++count] = "- " description (date == "" ? "" : " (" date ")") " [" field($0, "fact_id") \
                    sprintf(" %.2f", field($0, "confidence")) "]"
                chunks[count] = "  " field($0, "chunk")
            }
            from = field($0, "subject"); to = field($0, "object"); type = field($0, "type")
        }
        END {
            if (from != "") print "Relationship: " from " " type " " to
            else print "Together:     in " together " chunk" (together == 1 ? "" : "s")
            if (best_date != "") print "Date:         " best_date
            if (best_value != "") print "Value:        " best_value
            if (count) print "Facts:"
            for (k = 1; k <= count; k++) { print lines[k]; print chunks[k] }
        }
    ' "$1/_edges.jsonl"
}

function wc {
    if [[ $# != 0 ]] && __kgfs_inside "$@"; then
        ( __kgfs_clean; __kgfs_wc "$@" )
    else
        command wc "$@"
    fi
}

function __kgfs_wc {
    local operand=${!#} status
    if [[ $# == 1 || ($# == 2 && $1 == -l) ]] && __kgfs_on "$operand" && __kgfs_summed; then
        if [[ -d $operand ]]; then
            if __kgfs_wc_directory "$operand"; then return 0; fi
        elif [[ $# == 2 && -f $operand ]]; then
            case $__kgfs_rel in
                entities/*/_index.txt)
                    __kgfs_rel=${__kgfs_rel%/*}
                    printf '%s %s\n' "$(command wc -l <"$operand")" "${__kgfs_rel##*/}"
                    return
                    ;;
                */_ontology.json)
                    printf '%s topics\n' "$(command grep -c '^ *"slug":' -- "$operand")"
                    return 0
                    ;;
            esac
        fi
    fi
    __kgfs_run wc "$@"
    status=$?
    [[ $status == 0 ]] || __kgfs_miss "$operand"
    return "$status"
}

# How many of what a directory holds: from the counts that lie beside the names, else from what @stat says.
function __kgfs_wc_directory {
    local directory=$1 how=parts
    [[ $__kgfs_rel != facts ]] || directory=$directory/by_type
    if [[ -f $directory/_counts.tsv ]]; then
        [[ $__kgfs_rel == entities ]] || how=facts
        KGFS_HOW=$how command awk -F '\t' "$__kgfs_json"'
            NR > 1 { count[++n] = $2; name[n] = $1; sum += $2 }
            END {
                if (ENVIRON["KGFS_HOW"] == "parts") printf "%10s entities\n", grouped(sum)
                for (k = 1; k <= n; k++)
                    printf (ENVIRON["KGFS_HOW"] == "parts" ? "  " : "") "%10s %s\n", grouped(count[k]), name[k]
                if (ENVIRON["KGFS_HOW"] != "parts") printf "%10s total facts\n", grouped(sum)
            }
        ' "$directory/_counts.tsv"
    elif [[ -f $directory/@stat ]]; then
        command awk '
            /^(Facts|Chunks|Topics|Entities|Documents): +[0-9,]+$/ {
                name = tolower(substr($1, 1, length($1) - 1))
                if ($2 == 1) name = name == "entities" ? "entity" : substr(name, 1, length(name) - 1)
                printf "%10s %s\n", $2, name
                said = 1
            }
            END { exit !said }
        ' "$directory/@stat"
    else
        return 1
    fi
}

# `head -50 -c`, with nothing behind it and a pipe before it: the first 50 lines and how many there are.
function head {
    local count=${1-}
    count=${count#-}
    if [[ $# == 2 && $1 == -* && $2 == -c && -n $count && -z ${count//[0123456789]/} && ! -t 0 ]]; then
        command awk -v "wanted=$count" '
            NR <= wanted { print }
            END {
                total = NR ""
                while (match(total, /^[0-9]+[0-9][0-9][0-9]($|,)/)) {
                    match(total, /^[0-9]+/)
                    total = substr(total, 1, RLENGTH - 3) "," substr(total, RLENGTH - 2)
                }
                print "Showing " (NR < wanted ? NR : wanted) " of " total
            }'
    else
        __kgfs_with_miss head "$@"
    fi
}

function tail {
    __kgfs_with_miss tail "$@"
}

# Runs the real tool; on a failure says which names are near those that are missing.
function __kgfs_with_miss {
    local tool=$1 status=0
    shift
    command "$tool" "$@" || status=$?
    if [[ $status != 0 && $status -lt 128 ]] && __kgfs_inside "$@"; then
        ( __kgfs_clean; __kgfs_miss_among "$@" )
    fi
    return "$status"
}

# As __kgfs_miss, for a command line: options and numbers are none.
function __kgfs_miss_among {
    local argument only=''
    for argument in "$@"; do
        if [[ -z $only && $argument == -- ]]; then
            only=1
        elif [[ -n $only || ($argument != -* && -n ${argument//[0-9+-]/}) ]]; then
            __kgfs_miss "$argument"
        fi
    done
}
