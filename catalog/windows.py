"""Every window of the contract, in milliseconds, each with its reason.

The sums that the windows owe each other are checked when this module is imported:
two constants that contradict each other would make some reading a lie.
"""

from __future__ import annotations

REFRESH_MS = 300_000
"""How often a living session's owner renews ``status``."""

STALE_MS = 900_000
"""A record this old says nothing any more: three refreshes were missed."""

SKEW_MS = 60_000
"""How far ahead of the reader a stamp may lie before it is called a future stamp."""

SEQ_AHEAD_MS = 86_400_000
"""How far ahead of the reader's clock a snapshot's number may lie: it is remembered for ever."""

CLAIM_MS = 1_800_000
"""How long a claim without process evidence is held by its holder's last own refresh."""

LOST_SILENCE_MS = 600_000
"""Silence after which a pid learnt from a hook, once gone, counts as gone (pids rotate)."""

PROBE_MS = 1_000
"""A process probe that took longer than this proves nothing."""

LOCK_WAIT_MS = 10_000
"""The longest wait for a host-local lock; its holder is named after that."""

OWNER_WAIT_MS = 2_500
"""How long a start waits for the owner of a harness that is gone to write its end."""

EXIT_WAIT_MS = 2_000
"""How long the owner waits for a lazy parent before the exit status is given up."""

LAUNCH_ERROR_WAIT_MS = 2_000
"""How long a failed start waits for the owner to have written ``launch-error``."""

STOPPED_LOOK_MS = 1_000
"""How often a stopped harness is looked at."""

FALLBACK_LOOK_MS = 2_000
"""How often a harness is looked at where the kernel has no pidfd."""

PUBLISH_MS = 300_000
"""The longest time between two publishes of a host that syncs, changed or not."""

STALL_MS = 360_000
"""Without a success for longer than this, work that had been landing is called stalled."""

ABANDON_MS = 600_000
"""Without a success for longer than this the session is called idle, and is not routed to."""

COALESCE_MS = 5_000
"""How far apart two writes of ``activity`` are, so that a burst of events costs one."""

QUIET_MS = 296_811
"""The deepest silence that was measured in a session whose work went on."""

LOOK_MS = 45_000
"""The longest time between two looks of whoever waits for a stall; it needs several."""

UNHEARD_MS = 120_000
"""What both windows are widened by where another host's files came without its own clock."""

BEHIND_MS = 480_000
"""How far behind another host's clock makes every record of its agents unbelievable here: one
that lives would go stale between two refreshes, back and forth."""

FORGOTTEN_MS = 86_400_000
"""How long a host that was forgotten is still listed, as forgotten."""

SIGNER_MS = 604_800_000
"""How long it is told that another key signs for a host than before."""

TRANSCRIPT_MS = 30_000
"""How often a session's owner looks at the transcript that its harness keeps."""

SLEPT_MS = 2_000
"""The shortest sleep of this host that a watcher takes for one."""

STEPPED_MS = 5_000
"""The smallest step of the wall clock that a watcher takes for one; no slewing is as fast."""

RESCAN_MS = 30_000
"""The longest time between two looks of a watcher, or of a sync that goes on: hints can be lost."""

ENDS_LOOK_MS = 1_000
"""How often a watcher asks whether a harness of its host has ended: no file tells of that."""

EVENT_RUN_MS = 60_000
"""How long a command that is run for an event may take, before it is ended."""

RECORD_BYTES = 256
"""The longest two-line record that is read."""

SESSION_BYTES = 4_096
"""The longest ``session.json`` that is read."""

DECLARATION_BYTES = 262_144
"""The longest declaration that is read."""

if STALE_MS < 3 * REFRESH_MS:
    raise ImportError(f"stale window {STALE_MS} ms < 3 x {REFRESH_MS} ms refresh")
if BEHIND_MS + REFRESH_MS + UNHEARD_MS > STALE_MS:
    raise ImportError(f"{BEHIND_MS} + {REFRESH_MS} + {UNHEARD_MS} ms > {STALE_MS} ms stale window")
if CLAIM_MS < 2 * STALE_MS:
    raise ImportError(f"claim window {CLAIM_MS} ms < 2 x {STALE_MS} ms stale window")
if SKEW_MS >= REFRESH_MS:
    raise ImportError(f"skew {SKEW_MS} ms >= {REFRESH_MS} ms refresh")
if STALL_MS <= QUIET_MS + COALESCE_MS:
    raise ImportError(f"stall {STALL_MS} ms <= {QUIET_MS} + {COALESCE_MS} ms of healthy silence")
if ABANDON_MS <= STALL_MS:
    raise ImportError(f"abandon {ABANDON_MS} ms <= {STALL_MS} ms stall")
if ABANDON_MS - STALL_MS < 4 * LOOK_MS:
    raise ImportError(f"band {ABANDON_MS} - {STALL_MS} ms < 4 x {LOOK_MS} ms looks")
