"""``st2 sync --watch``: the loop put together, its signals, and what is printed of it."""

from __future__ import annotations

from collections.abc import Mapping

from catalog import node
from catalog.refusals import BadUsage
from catalog.sync import events, round
from catalog.sync.policy import INTERVALS, LEAST_S, MOST_S, Policy, interval_ms
from catalog.sync.settings import choose_intervals, choose_remote, policy_of
from catalog.sync.site import Site
from catalog.sync.watching import Clocks, Ears, Watching
from catalog.sync_errors import DuplicateHost
from catalog.system.changes import Changes, watch_folders
from catalog.system.locks import Lock
from catalog.system.machine import machine_id
from catalog.system.notify import ServiceManager
from catalog.windows import LOCK_WAIT_MS
from st2.context import Context
from st2.out import emit, plain, remark, say
from st2.serve.branch import refuse_branch
from st2.serve.site import chosen_remote, site_of
from st2.serve.stop import Signals, StopNow
from st2.sync_events import event_json, line


def watch(
    context: Context, *, remote: str | None, intervals: Mapping[str, int], as_json: bool
) -> int:
    """Publish and collect until told to stop: 0 after SIGTERM, 130 after SIGINT."""
    context.require_catalog()
    refuse_branch(context)
    if intervals:
        choose_intervals(context.files, context.layout, machine_id(), intervals)
    folders = [context.layout.host_folder(context.layout.host)]
    changes = watch_folders(context.layout.root, folders, environ=context.environ, depth=1)
    try:
        return _Running(context, changes, remote=remote, as_json=as_json).run()
    finally:
        changes.close()


def intervals_of(given: Mapping[str, str | None]) -> dict[str, int]:
    """Return the intervals of the options, in milliseconds. Raises BadUsage for what is none."""
    found = {}
    for (option, text), name in zip(given.items(), INTERVALS, strict=True):
        if text is None:
            continue
        try:
            ms = interval_ms(float(text))
        except ValueError:
            ms = None
        if ms is None:
            wanted = f"wanted a number of seconds from {LEAST_S} to {MOST_S}"
            raise BadUsage(option, f"found {text!a}, {wanted}")
        found[name] = ms
    return found


class _Running:
    """One run of the command: what the loop is told, and what it tells."""

    def __init__(
        self, context: Context, changes: Changes, *, remote: str | None, as_json: bool
    ) -> None:
        self.context = context
        self.changes = changes
        self.remote = remote
        self.as_json = as_json
        self.signals = Signals(changes.wake)
        self.manager = ServiceManager(context.environ)
        self.address = ""
        self.warned: set[str] = set()

    def run(self) -> int:
        """Take the lock for as long as the loop goes on."""
        site, policy = self.settings()
        self.signals.listen()
        try:
            with round.alone(site), self.staying():
                self.go_on(site, policy)
        except StopNow:
            # The wait for the lock was abandoned.
            pass
        finally:
            self.signals.done()
        return self.signals.code

    def staying(self) -> Lock:
        """Say that the publisher's lock is held for long on purpose; doctor would wonder."""
        context = self.context
        return context.files.lock(context.layout.watching_lock(), wait_ms=LOCK_WAIT_MS)

    def go_on(self, site: Site, policy: Policy) -> None:
        """Run the loop; the lock is ours."""
        abandoned, clock = False, self.context.clock
        self.manager.ready()
        self.tell(events.Began(policy))
        try:
            Watching(site, policy, Clocks(clock.boot_ms, clock.awake_ms), self.ears()).run()
        except StopNow:
            abandoned = True
        self.signals.done()
        self.manager.stopping()
        self.tell(events.Stopped(abandoned))

    def settings(self) -> tuple[Site, Policy]:
        """Read remote and intervals, as they are now. Raises St2Error where they cannot be used."""
        context, machine = self.context, machine_id()
        found = policy_of(context.files, context.layout, machine)
        for each in found.findings:
            remark(each)
            self.warned.add(f"{each.path}: {each.message}")
        chosen = chosen_remote(context, self.remote)
        self.address = chosen.address
        own = node.ensure(context.files, context.layout, machine=machine)
        policy = found.policy
        site = site_of(context, own, chosen, sleep=self.signals.sleep, watching=policy)
        return site, policy

    def ears(self) -> Ears:
        """What the loop is told from outside, and whom it tells."""
        silence_ms = self.manager.watchdog_ms
        most_ms = {} if silence_ms is None else {"most_ms": max(silence_ms // 3, 1)}
        return Ears(
            hints=self.changes,
            stopped=lambda: self.signals.stopped,
            reread=self.reread,
            alive=self.manager.alive,
            tell=self.tell,
            **most_ms,
        )

    def reread(self) -> tuple[Site, Policy] | None:
        """Read the settings again where somebody asked for it."""
        return self.settings() if self.signals.take_reread() else None

    def tell(self, event: events.Event) -> None:
        """Say what happened: a line on stderr, with --json an object on stdout."""
        words = line(event)
        if isinstance(event, events.Warned) and event.sentence in self.warned:
            self.warned.discard(event.sentence)  # said when the settings were read
        else:
            say(words)
        self.manager.status(words)
        if isinstance(event, events.Failed) and event.error.hint:
            say(f"hint: {plain(event.error.hint)}")
        self._keep_remote(event)
        if self.as_json:
            host, now_ms = self.context.layout.host, self.context.clock.now_ms()
            emit(event_json(event, host=host, now_ms=now_ms))

    def _keep_remote(self, event: events.Event) -> None:
        """Keep the remote that was named, once it has answered as one."""
        if self.remote is None:
            return
        refused = isinstance(event, events.Failed) and isinstance(event.error, DuplicateHost)
        if refused or isinstance(event, events.DidPublish):
            context = self.context
            choose_remote(context.files, context.layout, machine_id(), self.address)
            self.remote = None
