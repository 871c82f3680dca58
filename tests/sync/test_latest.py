"""What became of the last round, kept for whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.layout import Layout
from catalog.sync import latest, polled
from catalog.sync_errors import SyncFailed
from catalog.system.files import Files


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(str(tmp_path), "h1")


@pytest.fixture
def files(layout: Layout) -> Files:
    return Files(layout.root)


class TestLatest:
    """A round that failed says when and why."""

    def test_before_any_round_none_failed(self, files: Files, layout: Layout) -> None:
        assert latest.failure(files, layout) is None

    def test_a_failed_round_is_told_until_one_goes_well(self, files: Files, layout: Layout) -> None:
        latest.save(files, layout, 7, SyncFailed("origin", "no answer"))
        assert latest.failure(files, layout) == (7, "origin: no answer")
        latest.save(files, layout, 8, None)
        assert latest.failure(files, layout) is None

    def test_a_long_reason_is_cut(self, files: Files, layout: Layout) -> None:
        latest.save(files, layout, 7, SyncFailed("origin", "x" * 400))
        assert latest.failure(files, layout) == (7, "origin: " + "x" * 292)

    @pytest.mark.parametrize(
        "raw",
        [
            *(b"", b"[]", b'{"at_ms":"7","failed":"x"}', b'{"failed":"x"}'),
            *(b'{"at_ms":7,"failed":1}', b'{"at_ms":7}'),
        ],
    )
    def test_what_is_no_account_of_a_round_tells_of_none(
        self, files: Files, layout: Layout, raw: bytes
    ) -> None:
        latest.save(files, layout, 7, None)
        Path(layout.root, layout.latest()).write_bytes(raw)
        assert latest.failure(files, layout) is None

    def test_where_it_cannot_be_kept_the_round_is_no_worse(
        self, files: Files, layout: Layout
    ) -> None:
        latest.save(files, layout, 7, None)
        path = Path(layout.root, layout.latest())
        path.unlink()
        path.mkdir()
        latest.save(files, layout, 8, SyncFailed("origin", "no answer"))
        assert latest.failure(files, layout) is None


class TestPolled:
    """When all refs of a remote were looked at last."""

    def test_a_look_is_known_of_its_own_remote_alone(self, files: Files, layout: Layout) -> None:
        assert polled.load(files, layout, remote="r") is None
        polled.save(files, layout, polled.Reading(7), remote="r")
        assert polled.load(files, layout, remote="r") == 7
        assert polled.load(files, layout, remote="s") is None

    @pytest.mark.parametrize(
        "raw",
        [
            *(b"", b"[]", b'{"at_ms":true,"remote":"r"}', b'{"at_ms":"7","remote":"r"}'),
            *(b'{"remote":"r"}', b'{"at_ms":7}'),
        ],
    )
    def test_what_is_no_account_of_a_look_tells_of_none(
        self, files: Files, layout: Layout, raw: bytes
    ) -> None:
        polled.save(files, layout, polled.Reading(7), remote="r")
        Path(layout.root, layout.polled()).write_bytes(raw)
        assert polled.load(files, layout, remote="r") is None

    def test_the_time_since_boot_is_kept_where_it_is_known(
        self, files: Files, layout: Layout
    ) -> None:
        assert polled.last(files, layout) is None
        for began in (polled.Reading(7, "boot-1", 5), polled.Reading(7)):
            polled.save(files, layout, began, remote="r")
            assert polled.last(files, layout) == (began, "r")
            assert polled.load(files, layout, remote="r") == 7

    @pytest.mark.parametrize(
        "boot",
        [
            *(b"", b',"boot":"b"', b',"boot_ms":5', b',"boot":5,"boot_ms":5'),
            *(b',"boot":"b","boot_ms":"5"', b',"boot":"b","boot_ms":true'),
        ],
    )
    def test_half_of_it_is_none_of_it(self, files: Files, layout: Layout, boot: bytes) -> None:
        polled.save(files, layout, polled.Reading(7), remote="r")
        path = Path(layout.root, layout.polled())
        path.write_bytes(b'{"at_ms":7,"remote":"r"%b}' % boot)
        assert polled.last(files, layout) == (polled.Reading(7), "r")
        for raw in (b'{"remote":"r"%b}', b'{"at_ms":7%b}'):
            path.write_bytes(raw % boot)
            assert polled.last(files, layout) is None

    def test_no_more_of_the_file_is_read_than_a_long_address_takes(
        self, files: Files, layout: Layout
    ) -> None:
        polled.save(files, layout, polled.Reading(7), remote="r")
        path = Path(layout.root, layout.polled())
        raw = path.read_bytes().rstrip()
        for size, found in ((8_193, 7), (8_194, None), (9_000, None)):
            path.write_bytes(raw.rjust(size))
            assert polled.load(files, layout, remote="r") == found
