"""What every request of the client goes through."""

import contextlib
import email.utils
import gzip
import hashlib
import http.client
import json
import math
import random
import re
import socket
import threading
import time
import urllib.parse
import uuid
import warnings
import zlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Optional, Set

LONGEST_WINDOW_S = 86_400  # no window of a quota is longer
LONGEST_PAUSE_S = 900  # a poll that waited longer would keep its lock, and nobody would hear of it
IDLE_S = 2  # servers end a connection that is idle for some seconds more


class BadOptionError(ValueError):
    """An option of the client that cannot be meant: an address or a token that is none."""


class ProgramsApiError(Exception):
    """Why the API gave no data. `status` is 0 when there was no answer of the API; `__cause__` says why.

    With `ends_poll` nothing else can be read now, either: the token is refused, or the API asks to wait for too long.
    """

    def __init__(self, path, status, request_id, cause=None, wait_s=0):
        what = f"no answer ({cause!r})" if status == 0 else f"status {status}"
        if wait_s > 0:
            what += f" and a wait of {math.ceil(wait_s)} s, more than the 15 minutes that a poll waits"
        super().__init__(f"GET {path}: {what}, request {request_id}")
        self.status = status
        self.request_id = request_id
        self.ends_poll = status == 401 or wait_s > 0
        self.__cause__ = cause


@dataclass
class Call:
    """A request that was made."""

    path: str
    status: int  # 0 when there was no answer of the API
    request_id: str  # for support
    seconds: float


@dataclass
class Answer:
    """A 200 or a 404."""

    status: int
    snapshot_id: str
    generated_at: str  # when the data of the snapshot was read; empty where the answer does not say
    changed_ids: Optional[Set[str]]  # of a list: whose detail has changed since the snapshot that was named; None: can't be said
    request_id: str
    body: object


def parse_json(text):
    """Amounts become decimals: `1240.50` is no binary fraction."""
    return json.loads(text, parse_float=Decimal, object_hook=_with_decimals)


def _with_decimals(part):
    for name in ("amount", "startingAmount"):
        if isinstance(part.get(name), int):
            part[name] = Decimal(part[name])
    return part


class Requester:
    """One request at a time over one connection, with gzip, within the quota, repeated where that may help."""

    def __init__(self, base_url, token, keep_free, max_attempts, timeout_s, on_call):
        if not re.fullmatch("[!-~]+", token):
            raise BadOptionError("The token is empty, or has a character that none has (a line break at its end?).")
        base = _checked_base(base_url)
        kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(base.hostname, base.port, timeout=timeout_s)
        self._timeout_s = timeout_s
        self._prefix = base.path
        self._token = token
        self._keep_free = keep_free
        self._max_attempts = max_attempts
        self._on_call = on_call
        self._used_at = 0.0
        self._full_until = 0.0  # when the window ends that has no room left, or the time that Retry-After said
        self._full_by = (0, "")  # the status and request id of the answer that said so
        self._quota = None
        self.count = 0
        self.source = hashlib.sha256(token.encode()).hexdigest()  # a digest of the token

    def close(self):
        self._connection.close()

    def wait_s(self):
        """How long the next request will wait before it is sent."""
        return max(0.0, self._full_until - time.monotonic())

    def seconds_for(self, requests):
        """About how long the quota makes so many further requests wait."""
        if self._quota is None or requests <= self._quota.left:
            return 0.0
        windows = (requests - self._quota.left - 1) // self._quota.per_window
        return self._quota.seconds + windows * self._quota.window_seconds

    def get(self, path, is_data, attempts=None, since="", is_detail=False):
        """The Answer of a 200 or a 404. Raises ProgramsApiError for all else. `since` is the snapshot of your last list.

        `is_detail`: it is one of many, so a server error of it says nothing about the others, nor does its Retry-After.
        """
        attempts = attempts or self._max_attempts
        turn = 0
        while True:
            turn += 1
            if self.wait_s() > LONGEST_PAUSE_S:
                raise ProgramsApiError(path, *self._full_by, wait_s=self.wait_s())
            time.sleep(self.wait_s())
            sent_id = str(uuid.uuid4())
            self.count += 1
            asked_at = time.monotonic()
            status, headers, body, error = self._attempt(path, is_data, sent_id, since)
            self._used_at = time.monotonic()
            request_id = headers.get("x-request-id", sent_id)
            if self._on_call is not None:
                self._on_call(Call(path, status, request_id, self._used_at - asked_at))
            told = _quota_of(headers, self._keep_free)
            self._quota = told or self._quota
            # Kept for the next call, too: it may follow a last attempt at once.
            may_pass = status == 0 or status == 429 or status >= 500
            told_s = _retry_after(headers) if may_pass else None
            is_its_own = is_detail and status >= 500
            window_s = told.seconds if told is not None and told.left == 0 else 0.0
            until = time.monotonic() + min(max(window_s, 0.0 if is_its_own else told_s or 0.0), LONGEST_WINDOW_S)
            if until > self._full_until:
                self._full_until, self._full_by = until, (status, request_id)
            if status in (200, 404):
                snapshot_id, generated_at = (_only_value(headers, f"snapshot-{name}") for name in ("id", "generated-at"))
                return Answer(status, snapshot_id, generated_at, _changed_ids(headers), request_id, body)
            too_long_s = self.wait_s() if may_pass and self.wait_s() > LONGEST_PAUSE_S else 0
            is_given_up = turn >= attempts or too_long_s > 0 or (is_its_own and told_s is not None)
            if not may_pass or is_given_up:
                raise ProgramsApiError(path, status, request_id, error, too_long_s)
            if told_s is None:
                time.sleep(random.random() * min(60.0, 0.5 * 2**turn))

    def _attempt(self, path, is_data, request_id, since):
        if time.monotonic() - self._used_at > IDLE_S:
            self._connection.close()
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "gzip", "X-Request-Id": request_id}
        if since != "":
            headers["Snapshot-Since"] = since
        try:
            status, answered, data = self._exchange(path, headers)
            if status != 200:
                return status, answered, None, None
            body = parse_json(gzip.decompress(data) if answered.get("content-encoding") == "gzip" else data)
            # Every 200 of the API names its snapshot. A list of somebody else must not empty the copy.
            if _only_value(answered, "snapshot-id") == "" or not is_data(body):
                raise ValueError("a 200 that is not the API's")
            return 200, answered, body, None
        except (OSError, EOFError, ValueError, zlib.error, http.client.HTTPException) as error:
            # Also a body that was cut, or a page of a proxy: it counts as no answer. The next one has a new connection.
            self._connection.close()
            return 0, {}, None, error


    def _exchange(self, path, headers):
        """The status, headers and body of the answer, within `timeout_s` in all: a socket alone bounds each wait for bytes."""
        if self._connection.sock is None:
            self._connection.connect()
        # Kept, because the connection forgets it when the server is to close it.
        connected, is_late = self._connection.sock, threading.Event()

        def end():
            is_late.set()
            with contextlib.suppress(OSError):
                # Not the method of a TLS socket, which would go on in clear.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

        deadline = threading.Timer(self._timeout_s, end)
        deadline.daemon = True
        deadline.start()
        try:
            self._connection.request("GET", self._prefix + path, headers=headers)
            response = self._connection.getresponse()
            data = response.read()
        finally:
            deadline.cancel()
            if is_late.is_set():
                raise TimeoutError(f"no whole answer within {self._timeout_s} s")
        return response.status, _headers_of(response), data


def _checked_base(base_url):
    """The parts of the base address. The message does not repeat it, lest a token stands in it."""
    try:
        base = urllib.parse.urlsplit(base_url.rstrip("/"))
        is_base = base.scheme in ("http", "https") and base.hostname and base.port != 0
        is_base = is_base and not (base.query or base.fragment or "@" in base.netloc)
    except ValueError:
        is_base = False
    if not is_base:
        raise BadOptionError("The base address has to be https:// and a host, and perhaps a path.")
    if base.scheme == "http" and not re.fullmatch(r"localhost|127(\.[0-9]+){3}|::1", base.hostname):
        warnings.warn("The base address begins with http://, so the token can be read on the way.", stacklevel=4)
    return base


@dataclass
class _Quota:
    """What is left of a window and how long it lasts, and what each further one allows."""

    left: int
    seconds: float
    per_window: float
    window_seconds: float


def _headers_of(response):
    """By their names in lower case. A proxy on the way may repeat a header: the same value twice counts once."""
    values = {}
    for name, value in response.getheaders():
        of_name = values.setdefault(name.lower(), [])
        if value not in of_name:
            of_name.append(value)
    return {name: ", ".join(of_name) for name, of_name in values.items()}


def _only_value(headers, name):
    """A header that has one value, which a proxy may have repeated; empty where it has none, or several."""
    values = _parts_of(headers.get(name, ""))
    return values.pop() if len(values) == 1 else ""


def _parts_of(said):
    return {part.strip() for part in said.split(",")} - {""}


def _changed_ids(headers):
    """Snapshot-Changed: ids and commas, nothing for none, * where the gateway can't say, whatever stands beside it.

    An older gateway has no such header.
    """
    ids = _parts_of(headers.get("snapshot-changed", "*"))
    return None if "*" in ids else ids


def _quota_of(headers, keep_free):
    """What the quota still allows: RateLimit: "default";r=<left>;t=<seconds>, RateLimit-Policy: "default";q=<requests>;w=<seconds>.

    When nothing is left, nothing is asked until the window ends, so that the quota is never exceeded.
    """
    now = re.search(r";r=(\d+);t=(\d+)", headers.get("ratelimit", ""))
    policy = re.search(r";q=(\d+);w=(\d+)", headers.get("ratelimit-policy", ""))
    if now is None:
        return None
    per_window, window_seconds = (int(policy[1]), float(policy[2])) if policy else (float("inf"), 0.0)
    return _Quota(max(0, int(now[1]) - keep_free), float(now[2]), max(1, per_window - keep_free), window_seconds)


def _retry_after(headers):
    """What a 429, or a 503 of a proxy, says: seconds or, from a proxy, a date, which counts from the answer's own."""
    said = headers.get("retry-after", "")
    if re.fullmatch("[0-9]+", said):
        seconds = int(said)
    else:
        try:
            until = email.utils.parsedate_to_datetime(said).timestamp()
        except (ValueError, TypeError):
            return None
        seconds = max(0.0, until - _date_of(headers))
    # A little longer, so that your processes don't all come back at once.
    return seconds + random.random() / 2


def _date_of(headers):
    try:
        return email.utils.parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return time.time()
