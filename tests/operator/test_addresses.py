"""Names become addresses; a name without one is nobody's to reach."""

from __future__ import annotations

import socket

import pytest

from change2task.operator.addresses import Addresses


def test_a_name_becomes_its_addresses() -> None:
    assert "127.0.0.1:80" in Addresses().of(["localhost:80"])


def test_a_name_without_an_address_is_left_out() -> None:
    assert Addresses().of(["no-such-name.invalid:80", "127.0.0.1:443"]) == ("127.0.0.1:443",)


def test_what_was_resolved_is_not_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = Addresses()
    assert addresses.of(["127.0.0.1:80"]) == ("127.0.0.1:80",)

    def refused(*_: object, **__: object) -> None:
        raise OSError("asked again")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    assert addresses.of(["127.0.0.1:80"]) == ("127.0.0.1:80",)
