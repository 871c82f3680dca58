"""Which addresses a remote may have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.sync.remote import Remote, check
from catalog.sync_errors import RemoteRefused


@pytest.mark.parametrize(
    ("text", "address", "path"),
    [
        ("/srv/presence.git", "/srv/presence.git", "/srv/presence.git"),
        ("presence.git", "/here/presence.git", "/here/presence.git"),
        ("../p.git", "/p.git", "/p.git"),
        ("./ext::sh -c x", "/here/ext::sh -c x", "/here/ext::sh -c x"),
        ("file:///srv/p%20q.git", "file:///srv/p%20q.git", "/srv/p q.git"),
        ("https://git.example.org/p.git", "https://git.example.org/p.git", None),
        ("https://[2001:db8::1]:8443/p.git", "https://[2001:db8::1]:8443/p.git", None),
        ("ssh://git@example.org:22/p.git", "ssh://git@example.org:22/p.git", None),
        ("git://example.org/p.git", "git://example.org/p.git", None),
        ("git@example.org:me/p.git", "git@example.org:me/p.git", None),
        ("example.org:p.git", "example.org:p.git", None),
        ("me@[2001:db8::1]:p.git", "me@[2001:db8::1]:p.git", None),
        ("[2001:db8::1]:p.git", "[2001:db8::1]:p.git", None),
        ("host:a[b]:-c", "host:a[b]:-c", None),
        ("[2001:db8::1]:a]:-b", "[2001:db8::1]:a]:-b", None),
        ("host:me@p:-q.git", "host:me@p:-q.git", None),
        ("me@home@example.org:p.git", "me@home@example.org:p.git", None),
        ("https://example.org/a://b", "https://example.org/a://b", None),
        ("/srv/a://b", "/srv/a:/b", "/srv/a:/b"),
        ("/srv/a\xa0b", "/srv/a\xa0b", "/srv/a\xa0b"),
        ("/srv/a b", "/srv/a b", "/srv/a b"),
        ("/" + "x" * 4095, "/" + "x" * 4095, "/" + "x" * 4095),
    ],
)
def test_paths_and_four_schemes_are_allowed(text: str, address: str, path: str | None) -> None:
    assert check(text, base="/here") == Remote(address, path)


class TestCaseX13:
    """An address that would run a program, or be taken for an option, is refused."""

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("", "found nothing"),
            ("-oProxyCommand=touch PWNED", "begins with -, wanted an address and not an option"),
            ("--upload-pack=touch", "begins with -, wanted an address and not an option"),
            (
                'ext::sh -c "touch PWNED"',
                "scheme 'ext', wanted one of file, ssh, https, git or a path",
            ),
            ("fd::3", "scheme 'fd', wanted one of file, ssh, https, git or a path"),
            (
                "ext::https://x/y",
                "scheme 'ext::https', wanted one of file, ssh, https, git or a path",
            ),
            ("http://x/y", "scheme 'http', wanted one of file, ssh, https, git or a path"),
            ("SSH://x/y", "scheme 'SSH', wanted one of file, ssh, https, git or a path"),
            ("ssh+git://x/y", "scheme 'ssh+git', wanted one of file, ssh, https, git or a path"),
            (
                "ssh://-oProxyCommand=x/y",
                "a host that begins with -, wanted a host and not an option",
            ),
            (
                "ssh://%2doProxyCommand=x/y",
                "a host that begins with -, wanted a host and not an option",
            ),
            ("ssh://git@-oX/y", "a host that begins with -, wanted a host and not an option"),
            ("ssh://-l@host/y", "a host that begins with -, wanted a host and not an option"),
            (
                "git@-oProxyCommand=x:p",
                "a host that begins with -, wanted a host and not an option",
            ),
            (
                "git@-oProxyCommand=x:me@p",
                "a host that begins with -, wanted a host and not an option",
            ),
            ("git@[-oX]:p", "a host that begins with -, wanted a host and not an option"),
            ("git@:p", "no host, wanted one"),
            ("ssh://:22/p", "no host, wanted one"),
            ("me@[2001:db8::1]:-p", "a path that begins with -, wanted none"),
            ("[2001:db8::1]:-p", "a path that begins with -, wanted none"),
            ("host:-p:q", "a path that begins with -, wanted none"),
            ("a::b::c", "scheme 'a', wanted one of file, ssh, https, git or a path"),
            ("ext::x/y://z", "scheme 'ext', wanted one of file, ssh, https, git or a path"),
            (
                "x" * 61 + "::y",
                f"scheme '{'x' * 60}', wanted one of file, ssh, https, git or a path",
            ),
            ("/srv/a\x7fb", "has a control character, wanted none"),
            ("/srv/a\x9fb", "has a control character, wanted none"),
            ("x" * 4097, "4097 letters, wanted at most 4096"),
            ("[-oX]:p", "a host that begins with -, wanted a host and not an option"),
            ("http://x/y://z", "scheme 'http', wanted one of file, ssh, https, git or a path"),
            ("h:-x", "a path that begins with -, wanted none"),
            (":p:-q", "no host, wanted one"),
            ("[a:-p", "a path that begins with -, wanted none"),
            ("host:-x", "a path that begins with -, wanted none"),
            (":p", "no host, wanted one"),
            ("https:///p", "no host, wanted one"),
            ("file://host/p", "a file address with a host, wanted file:///path"),
            ("/srv/a\nb", "has a control character, wanted none"),
            ("https://x/%0ahost=evil", "has a control character, wanted none"),
            ("/srv/a\x9bb", "has a control character, wanted none"),
            ("x" * 5000, "5000 letters, wanted at most 4096"),
        ],
    )
    def test_it_is_refused_and_the_reason_named(self, text: str, sentence: str) -> None:
        with pytest.raises(RemoteRefused) as refused:
            check(text, base="/here")
        assert refused.value.sentence == sentence
        assert refused.value.exit_code == 2
        assert refused.value.subject == f"remote {text[:60]!a}"
        assert refused.value.hint != ""

    @given(st.text(alphabet="-a:/@[]%2d.~ \\ext\n", max_size=24))
    def test_nothing_that_git_would_take_for_more_than_an_address_passes(self, text: str) -> None:
        try:
            remote = check(text, base="/here")
        except RemoteRefused:
            return
        assert not remote.address.startswith("-")
        assert "::" not in remote.address.partition("/")[0].partition("[")[0]
        assert "\n" not in remote.address


def test_a_password_is_not_shown() -> None:
    shown = check("https://me:secret@example.org/p.git", base="/").shown
    assert shown == "https://me:***@example.org/p.git"
    assert check("git@example.org:p.git", base="/").shown == "git@example.org:p.git"
