"""What a driver refuses, as whoever tells a person of it finds it."""

from __future__ import annotations

from drivers.driver import BadNode


def test_a_refusal_has_its_sentence_the_way_out_and_the_node() -> None:
    told = BadNode("found x, wanted y", "write y", at=(0, 2))
    assert (str(told), told.sentence, told.hint, told.at) == (
        *("found x, wanted y", "found x, wanted y", "write y"),
        (0, 2),
    )


def test_without_a_node_it_is_about_the_launch_as_a_whole() -> None:
    told = BadNode("found nothing, wanted a launch")
    assert (told.hint, told.at) == ("", ())
