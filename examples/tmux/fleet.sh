#!/bin/sh
# A fleet in one tmux session: a window for each agent, named after it.
#
#   fleet.sh start AGENT...   a window for each agent that is not running yet
#   fleet.sh attach           look at them
#   fleet.sh adopt AGENT      claim what runs in front in the window AGENT, started without st2
#
# FLEET names the session. st2 becomes the agent in its window, so ^C, ^Z and closing the window
# reach the agent itself, and the window goes when the agent ends.
set -eu
fleet=${FLEET:-fleet}

start() {
    for agent; do
        word=$(st2 status "$agent")
        if [ "$word" != offline ]; then
            echo "$agent: is there already"
        elif tmux has-session -t "=$fleet" 2>/dev/null; then
            tmux new-window -d -t "=$fleet:" -n "$agent" "exec st2 run $agent"
        else
            tmux new-session -d -s "$fleet" -n "$agent" "exec st2 run $agent"
        fi
    done
}

attach() {
    if [ -n "${TMUX:-}" ]; then
        tmux switch-client -t "=$fleet"
    else
        tmux attach-session -t "=$fleet"
    fi
}

# The leader of the group in the foreground of a terminal is what a person sees running there.
adopt() {
    tty=$(tmux display-message -p -t "=$fleet:=$1" '#{pane_tty}')
    pid=$(ps -t "${tty#/dev/}" -o pid=,tpgid= | awk '$1 == $2 { print $1 }')
    st2 session adopt "$1" --pid "$pid"
}

case ${1:-} in
    start | attach | adopt) "$@" ;;
    *) sed -n 's/^#  *\(fleet.sh .*\)/\1/p' "$0" >&2; exit 2 ;;
esac
