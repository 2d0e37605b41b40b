"""A registry's host as HTTP: requests that answer challenges, and what their failures mean.

``oras`` answers challenges and keeps tokens. No credential ever is in a message.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Literal

import requests
from oras.provider import Registry as Oras

Kind = Literal["unauthorised", "notFound", "unreachable", "tooLarge", "refused", "damaged"]
_SECONDS = (10, 120)

# It tells of every answer on a logger of its own.
logging.getLogger("oras.logger").setLevel(logging.CRITICAL)


class RegistryFault(Exception):
    """A registry did not do what it was asked; ``retryable`` where asking again later may help."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def retryable(self) -> bool:
        """Whether the same request may be answered later."""
        return self.kind == "unreachable"


class Client(Oras):  # type: ignore[misc] # it has no types
    """A host as ``oras`` speaks to it, but for its retries, which wait for minutes, and the user's own logins."""

    def __init__(self, host: str, *, insecure: bool, auth: Path | None, authorities: Path | None) -> None:
        super().__init__(hostname=host, insecure=insecure, tls_verify=str(authorities) if authorities else True)
        self.host = host
        self._login(auth)

    def ask(
        self,
        method: str,
        path: str,
        *,
        data: IO[bytes] | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        stream: bool = False,
    ) -> requests.Response:
        """The answer, whatever it is. Raises RegistryFault for none."""
        url = path if path.startswith("http") else f"{self.prefix}://{path}"

        def once(authorisation: Mapping[str, str]) -> requests.Response:
            if data is not None and not isinstance(data, bytes):
                data.seek(0)
            told = {**(headers or {}), **authorisation}
            answer: requests.Response = self.session.request(
                method, url, data=data, headers=told, stream=stream, verify=self._tls_verify, timeout=_SECONDS
            )
            return answer

        try:
            answer = once(self.auth.get_auth_header())
            if answer.status_code == 401:
                self.auth.token = None  # it may have run out
                authorisation = self._authorisation(answer)
                return answer if authorisation is None else once(authorisation)
        except requests.exceptions.SSLError as error:
            raise RegistryFault("refused", f"{self.host}: its certificate is not trusted: {short(error)}") from error
        except (requests.RequestException, OSError) as error:
            raise RegistryFault("unreachable", f"{self.host} does not answer: {short(error)}") from error
        return answer

    def _authorisation(self, challenge: requests.Response) -> dict[str, str] | None:
        """What a refusal asks for, if it can be had."""
        if challenge.headers.get("Www-Authenticate", "").lower().startswith("basic"):
            basic = getattr(self.auth, "_basic_auth", None)
            return {"Authorization": f"Basic {basic}"} if basic else None
        headers, changed = self.auth.authenticate_request(challenge, {})
        return {"Authorization": headers["Authorization"]} if changed else None

    def _login(self, auth: Path | None) -> None:
        if auth is None or not auth.is_file():
            return
        try:
            known = json.loads(auth.read_bytes())["auths"]
            for name in (self.host, f"https://{self.host}", f"https://{self.host}/v1/"):
                if name in known:
                    one = known[name]
                    if "auth" in one:
                        self.auth._basic_auth = one["auth"]
                    else:
                        self.auth.set_basic_auth(one["username"], one["password"])
                    return
        except (OSError, ValueError, KeyError, TypeError):
            # Not chained: the error would show a part of the file.
            raise RegistryFault(
                "unauthorised", f"{auth} is not like Docker's config.json: it must hold auths, each with auth"
            ) from None


def short(error: BaseException) -> str:
    """The innermost error in a line: outer ones hold whole URLs."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return str(error)[:300]
