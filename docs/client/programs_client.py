"""Keeps a copy of one company's programs. Python 3.9 or later, nothing else.

    client = ProgramsClient("https://programs.example.com", token, "programs.json")
    result = client.sync()  # every few minutes, never twice at once for the same file
"""

import gzip
import http.client
import json
import os
import random
import re
import time
import urllib.parse
import uuid
import zlib
from dataclasses import dataclass

SAVE_EVERY = 50


class ProgramsApiError(Exception):
    """Why the API gave no data. `status` is 0 for a connection that broke."""

    def __init__(self, path, status, request_id):
        what = "no answer" if status == 0 else f"status {status}"
        super().__init__(f"GET {path}: {what}, request {request_id}")
        self.status = status
        self.request_id = request_id


@dataclass
class SyncResult:
    programs: dict  # id -> program: the list's fields of now, the rest as last read
    snapshot_id: str
    added: list
    changed: list  # their list fields are others than before
    removed: list
    requests: int  # of this poll
    waiting_for_refresh: int  # not read since the last new snapshot; later polls do


class ProgramsClient:
    def __init__(self, base_url, token, state_path, *, refresh_per_poll=10, keep_free=0, max_attempts=6, timeout_s=30):
        self._requester = _Requester(base_url, token, keep_free, max_attempts, timeout_s)
        self._path = state_path
        self._refresh_per_poll = refresh_per_poll

    def sync(self):
        """One poll. Raises after failures; what was read is kept."""
        before = self._requester.count
        state = self._load()
        status, snapshot_id, body = self._requester.get("/v1/programs")
        if status == 404:
            # The list is never missing: this is another server, or another path of it. The copy stays as it is.
            raise ProgramsApiError("/v1/programs (is the base address right?)", status, "none")
        is_new = snapshot_id != state["snapshotId"]
        added, changed, removed = _take_list(state, snapshot_id, body["data"])
        if is_new or removed:
            self._save(state)
        self._read_details(state, _details_to_read(state, self._refresh_per_poll))
        stored = state["programs"]
        return SyncResult(
            programs={id: {**one["detail"], **one["item"]} for id, one in stored.items() if one["detail"] is not None},
            snapshot_id=snapshot_id,
            added=added,
            changed=changed,
            removed=removed,
            requests=self._requester.count - before,
            waiting_for_refresh=sum(1 for one in stored.values() if one["epoch"] < state["epoch"]),
        )

    def _read_details(self, state, ids):
        """What was read stays read, also when a later request fails."""
        unsaved = 0
        try:
            for id in ids:
                path = "/v1/programs/" + urllib.parse.quote(id, safe="")
                status, snapshot_id, body = self._requester.get(path)
                if status == 404 and snapshot_id == "":
                    # The API's own 404 names the snapshot that lacks the program; this one comes from a proxy.
                    raise ProgramsApiError(path, status, "none")
                if status == 404:
                    del state["programs"][id]
                else:
                    state["programs"][id].update(detail=body["data"], epoch=state["epoch"])
                unsaved += 1
                if unsaved % SAVE_EVERY == 0:
                    self._save(state)
        finally:
            if unsaved % SAVE_EVERY != 0:
                self._save(state)

    def _load(self):
        try:
            with open(self._path, encoding="utf-8") as file:
                state = json.load(file)
        except FileNotFoundError:
            return {"format": 1, "snapshotId": "", "epoch": 0, "programs": {}}
        if state.get("format") != 1:
            raise ValueError(f"{self._path} is not a state file of this client; move it away.")
        return state

    def _save(self, state):
        """As a whole: a crash leaves the old copy or the new one."""
        written = f"{self._path}.new"
        with open(written, "w", encoding="utf-8") as file:
            json.dump(state, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(written, self._path)


def _take_list(state, snapshot_id, data):
    """Takes all list fields at once. Only a list says what is gone."""
    # Compared for equality only: a company can go back to an earlier snapshot.
    if snapshot_id != state["snapshotId"]:
        state["epoch"] += 1
        state["snapshotId"] = snapshot_id
    old, programs, added, changed = state["programs"], {}, [], []
    for item in data:
        known = old.get(item["id"])
        if known is None:
            added.append(item["id"])
            programs[item["id"]] = {"item": item, "detail": None, "epoch": 0}
            continue
        if known["item"] != item:
            changed.append(item["id"])
        programs[item["id"]] = {**known, "item": item}
    state["programs"] = programs
    return added, changed, [id for id in old if id not in programs]


def _details_to_read(state, refresh_per_poll):
    """First what is new or has changed in the list, then some of the others, the longest unread first."""
    needed, rest = [], []
    for id, one in state["programs"].items():
        detail = one["detail"]
        # A detail that was read from a newer snapshot than its list may be up to date already.
        if detail is None or any(detail.get(key) != value for key, value in one["item"].items()):
            needed.append(id)
        elif one["epoch"] < state["epoch"]:
            rest.append((one["epoch"], id))
    rest.sort(key=lambda pair: pair[0])
    return needed + [id for _, id in rest[:refresh_per_poll]]


class _Requester:
    """One request at a time over one connection, with gzip, within the quota, repeated where that may help."""

    def __init__(self, base_url, token, keep_free, max_attempts, timeout_s):
        base = urllib.parse.urlsplit(base_url.rstrip("/"))
        kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(base.hostname, base.port, timeout=timeout_s)
        self._prefix = base.path
        self._token = token
        self._keep_free = keep_free
        self._max_attempts = max_attempts
        self._full_until = 0.0
        self.count = 0

    def get(self, path):
        """Status 200 or 404, the Snapshot-Id, and the body of a 200. Raises ProgramsApiError for all else."""
        for turn in range(1, self._max_attempts + 1):
            time.sleep(max(0.0, self._full_until - time.monotonic()))
            request_id = str(uuid.uuid4())
            self.count += 1
            status, headers, body = self._attempt(path, request_id)
            self._full_until = max(self._full_until, time.monotonic() + self._window_left(headers))
            if status in (200, 404):
                return status, headers.get("snapshot-id", ""), body
            may_pass = status == 0 or status == 429 or status >= 500
            if not may_pass or turn == self._max_attempts:
                raise ProgramsApiError(path, status, request_id)
            if status == 429:
                # A little longer, so that your processes don't all come back at once.
                time.sleep(int(headers.get("retry-after", "1")) + random.random() / 2)
            else:
                time.sleep(random.random() * min(60.0, 0.5 * 2**turn))
        raise AssertionError("max_attempts must be at least 1")

    def _attempt(self, path, request_id):
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "gzip", "X-Request-Id": request_id}
        try:
            self._connection.request("GET", self._prefix + path, headers=headers)
            response = self._connection.getresponse()
            data = response.read()
            answered = {name.lower(): value for name, value in response.getheaders()}
            if answered.get("content-encoding") == "gzip":
                data = gzip.decompress(data)
            return response.status, answered, json.loads(data) if response.status == 200 else None
        except (OSError, EOFError, ValueError, zlib.error, http.client.HTTPException):
            # Also a body that was cut: it counts as no answer. The next request opens a new connection.
            self._connection.close()
            return 0, {}, None

    def _window_left(self, headers):
        """How long to ask nothing, so that the quota is never exceeded: RateLimit: "default";r=<left>;t=<seconds>."""
        match = re.search(r";r=(\d+);t=(\d+)", headers.get("ratelimit", ""))
        return float(match[2]) if match and int(match[1]) <= self._keep_free else 0.0
