"""What every request of the client goes through."""

import email.utils
import gzip
import hashlib
import http.client
import json
import random
import re
import time
import urllib.parse
import uuid
import zlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Optional, Set

LONGEST_PAUSE_S = 86_400  # no window of a quota is longer
IDLE_S = 2  # servers end a connection that is idle for some seconds more


class ProgramsApiError(Exception):
    """Why the API gave no data. `status` is 0 when there was no answer of the API; `__cause__` says why."""

    def __init__(self, path, status, request_id, cause=None):
        what = f"no answer ({cause!r})" if status == 0 else f"status {status}"
        super().__init__(f"GET {path}: {what}, request {request_id}")
        self.status = status
        self.request_id = request_id
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
            raise ValueError("The token is empty, or has a character that none has (a line break at its end?).")
        base = urllib.parse.urlsplit(base_url.rstrip("/"))
        kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(base.hostname, base.port, timeout=timeout_s)
        self._prefix = base.path
        self._token = token
        self._keep_free = keep_free
        self._max_attempts = max_attempts
        self._on_call = on_call
        self._used_at = 0.0
        self._full_until = 0.0  # when the window ends that has no room left, or the time that Retry-After said
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

    def get(self, path, is_data, attempts=None, since=""):
        """The Answer of a 200 or a 404. Raises ProgramsApiError for all else. `since` is the snapshot of your last list."""
        attempts = attempts or self._max_attempts
        turn = 0
        while True:
            turn += 1
            _pause(self.wait_s())
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
            told_s = _retry_after(headers)
            pause_s = max(told.seconds if told is not None and told.left == 0 else 0.0, told_s or 0.0)
            self._full_until = max(self._full_until, time.monotonic() + pause_s)
            if status in (200, 404):
                snapshot_id, generated_at = (_only_value(headers, f"snapshot-{name}") for name in ("id", "generated-at"))
                return Answer(status, snapshot_id, generated_at, _changed_ids(headers), request_id, body)
            may_pass = status == 0 or status == 429 or status >= 500
            if not may_pass or turn >= attempts:
                raise ProgramsApiError(path, status, request_id, error)
            if told_s is None:
                _pause(random.random() * min(60.0, 0.5 * 2**turn))

    def _attempt(self, path, is_data, request_id, since):
        if time.monotonic() - self._used_at > IDLE_S:
            self._connection.close()
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "gzip", "X-Request-Id": request_id}
        if since != "":
            headers["Snapshot-Since"] = since
        try:
            self._connection.request("GET", self._prefix + path, headers=headers)
            response = self._connection.getresponse()
            answered = _headers_of(response)
            data = response.read()
            if response.status != 200:
                return response.status, answered, None, None
            body = parse_json(gzip.decompress(data) if answered.get("content-encoding") == "gzip" else data)
            # Every 200 of the API names its snapshot. A list of somebody else must not empty the copy.
            if _only_value(answered, "snapshot-id") == "" or not is_data(body):
                raise ValueError("a 200 that is not the API's")
            return 200, answered, body, None
        except (OSError, EOFError, ValueError, zlib.error, http.client.HTTPException) as error:
            # Also a body that was cut, or a page of a proxy: it counts as no answer. The next one has a new connection.
            self._connection.close()
            return 0, {}, None, error


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
    return min(seconds, LONGEST_PAUSE_S) + random.random() / 2


def _date_of(headers):
    try:
        return email.utils.parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError, TypeError):
        return time.time()


def _pause(seconds):
    time.sleep(min(max(0.0, seconds), LONGEST_PAUSE_S))
