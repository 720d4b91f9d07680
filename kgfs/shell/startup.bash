# What a bash of `kgfs shell` starts with; the functions follow. An interactive shell reads the user's ~/.bashrc first, one
# that runs commands the user's BASH_ENV, as it would elsewhere.

if [[ $- == *i* ]]; then
    # shellcheck source=/dev/null
    if [[ -r ~/.bashrc ]]; then . ~/.bashrc; fi
    PS1='kgfs:\w\$ '
else
    unset -v BASH_ENV
    if [[ -n ${KGFS_SHELL_BASH_ENV-} ]]; then
        export BASH_ENV=$KGFS_SHELL_BASH_ENV
        # shellcheck source=/dev/null
        if [[ -r $BASH_ENV ]]; then . "$BASH_ENV"; fi
    fi
fi
unset -v KGFS_SHELL_BASH_ENV
