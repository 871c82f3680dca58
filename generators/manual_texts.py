"""What the manual says beside what the command tree knows: written by hand."""

from __future__ import annotations

INTRODUCTION = (
    "st2 says which coding agents are alive on several machines, what each one is doing, and who "
    "holds which name. The answer comes from plain files in a folder, the catalog, which git, or "
    "anything else that moves bytes, keeps in step between hosts. There is no server and no "
    "daemon that must be up for a reader to read.",
    "A word is only printed when something vouches for it: a living process on this host, or a "
    "record young enough to believe. Everything else is unknown, with the reason. Silence is "
    "never called death.",
    "AGENT is a bus id, host.agent, or a bare agent name that means exactly one. Options of st2 "
    "itself stand before the command; after it, --host means what that command says.",
    "Standard output is data, standard error is talk. On a terminal st2 prints tables; piped, "
    "tab-separated lines without a header. A pipe that its reader closes ends a command quietly. "
    "Nothing is paged.",
)
FILES = (
    ("agents/HOST/AGENT/agent.kdl", "The declaration of an agent, or agent.toml, or agent.json."),
    (
        "agents/HOST/AGENT/status",
        "Its word, and when somebody last vouched for it. So are activity, held and seen.",
    ),
    ("agents/HOST/AGENT/session.json", "Who holds the name, and how the session ended."),
    ("hosts/HOST/beat", "When that host last published."),
    ("catalog.kdl", "Settings of the whole catalog; need not be there."),
    (
        ".st2/HOST/",
        "What one host keeps for itself: locks, process evidence, the remote, a cache. It is "
        "never replicated.",
    ),
)
FILES_ABOUT = (
    "In the catalog, which is --catalog, else $CATALOG, else ~/.local/state/st2/default/catalog:"
)
ENVIRONMENT = (
    ("CATALOG", "The catalog, where --catalog names none."),
    ("ST2_HOST", "This host's name, where --host gives none; else it is the system's."),
    ("ST_AGENT", "The agent that a command is about, where it names none."),
    ("ST2_SESSION", "The session of the caller, where --session names none."),
    ("XDG_STATE_HOME", "Where a catalog is looked for that nothing names; else ~/.local/state."),
    ("NO_COLOR", "Where it is set and not empty, nothing is coloured. What is piped never is."),
)
EXIT = (
    ("0", "Done, also where something was found that a person should look at."),
    ("1", "Refused; or not exactly one agent was meant; or a check found a problem."),
    ("2", "Wrong usage, or a name that breaks the rule."),
    ("3", "A fault of st2, with a report on standard error."),
    ("130", "Interrupted."),
)
EXIT_OF = {
    "completion": "It is 0 with --for, whatever happens.",
    "doctor": "It is 1 where something was found.",
    "driver": (
        "A verb becomes its harness, whose exit status or signal is then its own; 127 where the "
        "program is not found, 126 where it cannot be executed. A hook exits 0, whatever happens."
    ),
    "merge-record": "For anything but 0 every file is left as it was, and git reports a conflict.",
    "run": (
        "It becomes the harness, whose exit status or signal is then its own; 127 where the "
        "program is not found, 126 where it cannot be executed."
    ),
    "session": "It is 1 for register where a live session holds the name.",
    "sync": "It is 1 where the publish or the collect failed; local presence is untouched.",
    "validate": "It is 1 where a declaration has a problem.",
    "watch": "It is 0 once --until came true, and 1 where --timeout passed before.",
}
EXAMPLES = (
    ("Make a catalog, declare an agent in it, and start it:", ("st2 init", "st2 run worker")),
    ("See who is there, and why one of them is what it is:", ("st2 agents", "st2 why worker")),
    (
        "Wait until it works, at most a minute:",
        ("st2 watch worker --until progressing --timeout 60",),
    ),
)
