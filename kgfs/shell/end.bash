[[ -z ${__kgfs_aliases-} ]] || shopt -s expand_aliases
unset -v __kgfs_aliases
