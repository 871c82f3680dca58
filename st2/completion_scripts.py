"""What `st2 completion bash|zsh|fish` prints: a script that asks st2 itself at each TAB.

Each asks the same question, the line so far as text, and takes names and words from the answer
literally: nothing of it is evaluated. The first line of an answer is a mode (``none``, ``files``,
``folders``), each other one a candidate, for zsh and fish with its help after a TAB.
"""

from __future__ import annotations

_BASH = r"""# Completion of st2 for bash 3.2 or later.
_st2_ask() {
    local st2=@ST2@
    if [[ -x $st2 ]]; then
        "$st2" completion bash --for "$1" 2>/dev/null </dev/null
    else
        command st2 completion bash --for "$1" 2>/dev/null </dev/null
    fi
}
_st2_complete() {
    local answer mode=none
    COMPREPLY=()
    {
        IFS= read -r mode
        while IFS= read -r answer; do
            COMPREPLY[${#COMPREPLY[@]}]=$answer
        done
    } < <(_st2_ask "${COMP_LINE:0:COMP_POINT}")
    case $mode in
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
    esac 2>/dev/null
    return 0
}
complete -F _st2_complete st2
"""
_ZSH = r"""#compdef st2
# Completion of st2 for zsh 5 or later.
_st2_ask() {
    local st2=@ST2@
    if [[ -x $st2 ]]; then
        "$st2" completion zsh --for "$1" 2>/dev/null </dev/null
    else
        command st2 completion zsh --for "$1" 2>/dev/null </dev/null
    fi
}
_st2() {
    local line mode answer tab=$'\t'
    local -a found shown
    line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX"
    {
        IFS= read -r mode
        while IFS= read -r answer; do
            found+=("${answer%%$tab*}")
            shown+=("${answer/$tab/  -- }")
        done
    } < <(_st2_ask "$line")
    (( $#found )) && compadd -l -d shown -- "${(@)found}"
    case $mode in
        files) _files ;;
        folders) _files -/ ;;
    esac
    return 0
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _st2 "$@"
elif (( ${+functions[compdef]} )); then
    compdef _st2 st2
fi
"""
_FISH = r"""# Completion of st2 for fish 3.1 or later.
function __st2_ask
    set -l st2 @ST2@
    if test -x $st2
        $st2 completion fish --for "$argv[1]" 2>/dev/null </dev/null
    else
        command st2 completion fish --for "$argv[1]" 2>/dev/null </dev/null
    end
end
function __st2_complete
    set -l answer (__st2_ask (commandline -cp | string collect))
    set -q answer[1]; or return 0
    set -l mode $answer[1]
    set -e answer[1]
    if set -q answer[1]
        printf '%s\n' $answer
    end
    switch $mode
        case files
            __fish_complete_path (commandline -ct)
        case folders
            __fish_complete_directories (commandline -ct) ''
    end
end
complete -c st2 -f -a '(__st2_complete)'
"""
SCRIPTS = {"bash": _BASH, "fish": _FISH, "zsh": _ZSH}
"""Each shell and its script."""


def script(shell: str, executable: str) -> str:
    """Return the script that asks *executable*, or the `st2` of PATH where that is gone."""
    if shell == "fish":
        quoted = executable.replace("\\", "\\\\").replace("'", "\\'")
    else:
        quoted = executable.replace("'", "'\\''")
    return SCRIPTS[shell].replace("@ST2@", f"'{quoted}'")
