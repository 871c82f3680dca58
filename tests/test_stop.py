"""How a command that goes on is told to end: what is counted, what is woken, what is abandoned."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from st2.serve.stop import Signals, StopNow

OURS = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGHUP)


class Woken:
    """Counts how often it was woken."""

    times = 0

    def wake(self) -> None:
        self.times += 1


@pytest.fixture
def woken() -> Iterator[Woken]:
    """What is woken; the handlers of the test's own process come back afterwards."""
    before = {number: signal.getsignal(number) for number in OURS}
    yield Woken()
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in before.items():
        signal.signal(number, handler)


def send(number: int) -> None:
    os.kill(os.getpid(), number)
    # A handler runs between two steps of the interpreter.
    time.sleep(0.01)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_first_word_wakes_and_the_second_abandons(woken: Woken, number: int, code: int) -> None:
    signals = Signals(woken.wake, grace_s=600)
    signals.listen()
    assert not signals.stopped
    send(number)
    assert (signals.stopped, signals.code, woken.times) == (True, code, 1)
    with pytest.raises(StopNow):
        send(signal.SIGTERM)
    assert signals.code == code


def test_what_does_not_finish_in_its_moment_is_abandoned(woken: Woken) -> None:
    signals = Signals(woken.wake, grace_s=0.05)
    signals.listen()
    with pytest.raises(StopNow):
        send(signal.SIGTERM)
        time.sleep(60)


def test_a_pause_between_two_tries_ends_with_the_word(woken: Woken) -> None:
    signals = Signals(woken.wake)
    signals.sleep(0.01)
    signals.stopped = True
    with pytest.raises(StopNow):
        signals.sleep(600)


def test_settings_are_read_again_once_a_signal(woken: Woken) -> None:
    signals = Signals(woken.wake)
    signals.listen()
    assert not signals.take_reread()
    send(signal.SIGHUP)
    assert woken.times == 1
    assert signals.take_reread()
    assert not signals.take_reread()
    assert not signals.stopped


def test_after_the_end_nothing_is_abandoned_any_more(woken: Woken) -> None:
    signals = Signals(woken.wake, grace_s=600)
    signals.listen()
    send(signal.SIGTERM)
    signals.done()
    send(signal.SIGTERM)
    send(signal.SIGALRM)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
