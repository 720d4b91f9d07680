# "Did you mean": names that are like one that is missing.

# __kgfs_miss PATH...: for each that is missing on a mount, says to stderr which up to five names are near it.
function __kgfs_miss {
    local path rest parent name near
    for path in "$@"; do
        [[ -n $path && ! -e $path && ! -L $path ]] || continue
        __kgfs_on "$path" || continue
        # The first name that is missing, and the directory where it was looked for.
        while [[ $path == ?*/ ]]; do path=${path%/}; done
        rest=
        while :; do
            name=${path##*/}
            parent=${path%"$name"}
            [[ $parent != "$path" && -n $name && ! -e ${parent:-.} ]] || break
            rest=/$name$rest
            path=$parent
            while [[ $path == ?*/ ]]; do path=${path%/}; done
        done
        # Where a link leads nowhere there is nothing to say; a query has no near names.
        [[ -d ${parent:-.} && $name != @* && $parent != *@* ]] || continue
        near=$(__kgfs_near "$parent" "$name")
        [[ -n $near ]] || continue
        printf '%s\n' 'Did you mean one of these?' >&2
        while IFS= read -r name; do
            # What was wanted beneath it, where it is there.
            [[ -z $rest || ! -e $name$rest ]] || name+=$rest
            printf '  %s\n' "$name" >&2
        done <<<"$near"
    done
}

# __kgfs_near PARENT NAME: up to five paths whose names are like NAME, the nearest first: names in the directory
# PARENT, and slugs of entities that have an alias like it.
function __kgfs_near {
    local parent=$1 name=$2 index=/dev/null within
    if __kgfs_on "${parent:-.}" && [[ $__kgfs_rel == entities || $__kgfs_rel == entities/* ]]; then
        within=${__kgfs_rel#entities}
        [[ $within == /*/* || ! -f $__kgfs_root/entities/_index.tsv ]] || index=$__kgfs_root/entities/_index.tsv
    fi
    within=${within-}
    command ls -U -- "${parent:-.}" 2>/dev/null |
        KGFS_NAME=$name KGFS_PARENT=$parent KGFS_WITHIN=${within#/} KGFS_INDEX=$index command awk '
        function plain(text) {
            text = tolower(text)
            gsub(/[^0-9a-z\200-\377]+/, "", text)
            return text
        }
        # How many letters differ, at most `most`.
        function distance(one, other, most,    i, j, left, above, corner, best, row, n, m, letter) {
            n = length(one); m = length(other)
            if (n - m > most || m - n > most) return most + 1
            for (j = 0; j <= m; j++) row[j] = j
            for (i = 1; i <= n; i++) {
                corner = row[0]; row[0] = i; best = i
                letter = substr(one, i, 1)
                for (j = 1; j <= m; j++) {
                    above = row[j]
                    left = row[j - 1] + 1
                    if (above + 1 < left) left = above + 1
                    if (corner + (letter != substr(other, j, 1)) < left) left = corner + (letter != substr(other, j, 1))
                    corner = above; row[j] = left
                    if (left < best) best = left
                }
                if (best > most) return most + 1
            }
            return row[m]
        }
        # 0 for the same name but for case and signs; the larger the less alike; -1 for not alike.
        function unlike(text,    most, d, k, word, found) {
            text = plain(text)
            if (text == "" || wanted == "") return -1
            if (text == wanted) return 0
            if (index(text, wanted) == 1) return 1 + (length(text) - length(wanted)) / 1000
            if (index(wanted, text) == 1 && length(text) > 2) return 2 + (length(wanted) - length(text)) / 1000
            most = int((length(wanted) + 2) / 4)
            if (most > 3) most = 3
            if (most > 0) {
                d = distance(wanted, text, most)
                if (d <= most) return 2 + d / 10
            }
            if (length(wanted) > 2 && index(text, wanted)) return 3 + (length(text) - length(wanted)) / 1000
            for (k = 1; k <= words; k++)
                if (length(parts[k]) > 2 && index(text, plain(parts[k]))) found += length(parts[k])
            return found ? 5 - found / 1000 : -1
        }
        function offer(path, by,    d) {
            d = unlike(by)
            if (d >= 0 && (!(path in score) || d < score[path])) score[path] = d
        }
        BEGIN {
            name = ENVIRON["KGFS_NAME"]; parent = ENVIRON["KGFS_PARENT"]; type = ENVIRON["KGFS_WITHIN"]
            wanted = plain(name)
            words = split(name, parts, /[^0-9A-Za-z\200-\377]+/)
            base = parent
            if (type != "") sub(/[^\/]+\/*$/, "", base)   # beside the directory of the type
            while ((getline line < ENVIRON["KGFS_INDEX"]) > 0) {
                if (++number == 1) continue
                split(line, field, "\t")
                slash = split(field[8], place, "/")
                if (type == "" || type == "by_name" || place[2] == type) path = parent (type == "" ? place[2] "/" : "") field[1]
                else path = base place[2] "/" field[1]
                again = (type == "" || place[2] != type) && type != "by_name"
                aliases = split(field[4], alias, "|")
                # Elsewhere than asked: only the very name.
                if (again && type != "") {
                    if (plain(field[1]) == wanted || plain(field[2]) == wanted) score[path] = 0.5
                    continue
                }
                offer(path, field[1]); offer(path, field[2])
                for (k = 1; k <= aliases; k++) offer(path, alias[k])
            }
        }
        { if (NR <= 20000 && type != "by_name") offer(parent $0, $0) }
        END { for (path in score) printf "%.4f\t%s\n", score[path], path }
        ' | LC_ALL=C command sort -t $'\t' -k 1,1n -k 2 | command head -n 5 | command cut -f 2- | command tr -d '\000-\010\013-\037\177'
}
