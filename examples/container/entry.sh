#!/bin/sh
# Runs one agent and lingers: the container ends with this shell, and everything in it at once.

# A stop is for the agent; this shell stays until the agent has ended. (A trap, not an ignored
# signal: the agent would inherit that.)
trap : HUP INT TERM

st2 run "$1"
code=$?

# The owner writes the agent's end down in milliseconds; a busy host gives it a turn within this.
sleep 1
exit "$code"
