"""Keeps a copy of one company's programs. Python 3.9 or later, nothing else.

    client = ProgramsClient("https://programs.example.com", token, "programs.json")
    result = client.sync()  # every few minutes
"""

import email.utils
import gzip
import hashlib
import http.client
import json
import os
import random
import re
import threading
import time
import urllib.parse
import uuid
import zlib
from dataclasses import dataclass

LONGEST_PAUSE_S = 86_400  # no window of a quota is longer


class ProgramsApiError(Exception):
    """Why the API gave no data. `status` is 0 when there was no answer of the API; `__cause__` says why."""

    def __init__(self, path, status, request_id, cause=None):
        what = f"no answer ({cause!r})" if status == 0 else f"status {status}"
        super().__init__(f"GET {path}: {what}, request {request_id}")
        self.status = status
        self.request_id = request_id
        self.__cause__ = cause


@dataclass
class SyncResult:
    programs: dict  # id -> program: the list's fields of now, the rest as last read
    snapshot_id: str
    added: list  # these three: what is different since the last poll that succeeded
    changed: list
    removed: list
    requests: int  # of this poll
    waiting_for_refresh: int  # not read from the list's snapshot; later polls do


class ProgramsClient:
    def __init__(self, base_url, token, state_path, *, refresh_per_poll=10, keep_free=0, max_attempts=6, timeout_s=30):
        self._requester = _Requester(base_url, token, keep_free, max_attempts, timeout_s)
        self._path = state_path
        self._refresh_per_poll = refresh_per_poll
        self._poll = threading.Lock()

    def sync(self):
        """One poll; a call during another one waits for it. Raises after failures; what was read is kept."""
        with self._poll:
            try:
                return self._sync()
            finally:
                # The server would end it before the next poll.
                self._requester.close()

    def _sync(self):
        before = self._requester.count
        state = self._load()
        status, snapshot_id, body = self._requester.get("/v1/programs", _is_list)
        if status == 404:
            # The list is never missing: this is another server, or another path of it. The copy stays as it is.
            raise ProgramsApiError("/v1/programs (is the base address right?)", status, "none")
        is_new = snapshot_id != state["snapshotId"]
        _take_list(state, snapshot_id, body["data"])
        if is_new or state["pending"]:
            self._save(state)
        self._read_details(state, _details_to_read(state, self._refresh_per_poll))
        stored = state["programs"]
        had_pending = bool(state["pending"])
        pending = _take_changes(state)
        if had_pending:
            self._save(state)
        return SyncResult(
            programs={id: {**one["detail"], **one["item"]} for id, one in stored.items() if one["detail"] is not None},
            snapshot_id=snapshot_id,
            added=[id for id, change in pending.items() if change == "added"],
            changed=[id for id, change in pending.items() if change == "changed"],
            removed=[id for id, change in pending.items() if change == "removed"],
            requests=self._requester.count - before,
            waiting_for_refresh=sum(1 for one in stored.values() if one["epoch"] < state["epoch"]),
        )

    def _read_details(self, state, ids):
        """What was read stays read, also when a later request fails.

        A single program that the server cannot answer is left for the next poll, lest it holds up all others; when the
        next one fails, too, it is the server.
        """
        # A save writes the whole copy: about 20 in the first poll of a large company.
        save_every = max(50, -(-len(ids) // 20))
        unsaved, failed = 0, None
        try:
            for id in ids:
                path = "/v1/programs/" + urllib.parse.quote(id, safe="")
                try:
                    status, snapshot_id, body = self._requester.get(path, _is_detail)
                except ProgramsApiError as error:
                    # What is there of it may be another company's.
                    must_be_read = state["programs"][id]["epoch"] < 0
                    if error.status < 500 or must_be_read or failed is not None:
                        raise failed or error
                    failed = error
                    continue
                failed = None
                if status == 404 and snapshot_id == "":
                    # The API's own 404 names the snapshot that lacks the program; this one comes from a proxy.
                    raise ProgramsApiError(path, status, "none")
                _take_detail(state, id, snapshot_id, None if status == 404 else body["data"])
                unsaved += 1
                if unsaved % save_every == 0:
                    self._save(state)
        finally:
            if unsaved % save_every != 0:
                self._save(state)

    def _load(self):
        state = {"format": 1, "source": "", "snapshotId": "", "epoch": 0, "programs": {}, "pending": {}}
        try:
            with open(self._path, encoding="utf-8") as file:
                stored = json.load(file)
            if stored["format"] != 1 or not isinstance(stored["programs"], dict):
                raise ValueError("another format")
            state.update(stored)
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError) as error:
            what = f"{self._path} is not a whole state file of this client; move it away, and all is read anew."
            raise ValueError(what) from error
        if state["source"] != self._requester.source:
            # Perhaps another company's, which may have the same ids: every detail is read anew.
            for one in state["programs"].values():
                one["epoch"] = -1
            state["source"] = self._requester.source
        return state

    def _save(self, state):
        """As a whole: a crash leaves the old copy or the new one."""
        # A name of its own: another process may be at it, too, and the last one wins.
        written = f"{self._path}.{uuid.uuid4()}.new"
        try:
            with open(written, "x", encoding="utf-8") as file:
                json.dump(state, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, self._path)
        except BaseException:
            if os.path.exists(written):
                os.remove(written)
            raise


def _is_list(body):
    try:
        return isinstance(body["data"], list) and body["meta"]["count"] == len(body["data"])
    except (LookupError, TypeError):
        return False


def _is_detail(body):
    try:
        return isinstance(body["data"]["id"], str)
    except (LookupError, TypeError):
        return False


def _take_list(state, snapshot_id, data):
    """Takes all list fields at once. Only a list says what is gone."""
    # Compared for equality only: a company can go back to an earlier snapshot.
    if snapshot_id != state["snapshotId"]:
        state["epoch"] += 1
        state["snapshotId"] = snapshot_id
    old, programs = state["programs"], {}
    for item in data:
        known = old.get(item["id"])
        if known is None:
            _note(state, item["id"], "added")
        elif known["item"] != item:
            _note(state, item["id"], "changed")
        programs[item["id"]] = {**(known or {"detail": None, "epoch": 0}), "item": item}
    for id in old:
        if id not in programs:
            _note(state, id, "removed")
    state["programs"] = programs


def _take_detail(state, id, snapshot_id, detail):
    """Takes a detail as it was just read from a snapshot, or None for a program that is published no more."""
    if detail is None:
        _note(state, id, "removed")
        del state["programs"][id]
        return
    one = state["programs"][id]
    if one["detail"] is not None and one["detail"] != detail:
        _note(state, id, "changed")
    # Around a publication another gateway may still answer from the snapshot before: then it is read again.
    one.update(detail=detail, epoch=state["epoch"] - (snapshot_id != state["snapshotId"]))


def _take_changes(state):
    """Takes what the caller is told now. A new program is told once its detail is there."""
    pending, programs = state["pending"], state["programs"]
    unread = {id for id in pending if id in programs and programs[id]["detail"] is None}
    state["pending"] = {id: pending[id] for id in unread}
    return {id: change for id, change in pending.items() if id not in unread}


def _details_to_read(state, refresh_per_poll):
    """First what is new or has changed in the list, then some of the others, the longest unread first."""
    needed, rest = [], []
    for id, one in state["programs"].items():
        detail, read_in = one["detail"], one["epoch"]
        # A detail that was read from a newer snapshot than its list may be up to date already.
        if detail is None or read_in < 0 or any(detail.get(key) != value for key, value in one["item"].items()):
            needed.append(id)
        elif read_in < state["epoch"]:
            rest.append((read_in, id))
    rest.sort(key=lambda pair: pair[0])
    return needed + [id for _, id in rest[:refresh_per_poll]]


def _note(state, id, change):
    """Kept with the copy until a poll succeeds: the caller hears nothing of one that fails."""
    pending = state["pending"]
    earlier = pending.get(id)
    if earlier == "added" and change == "removed":
        del pending[id]
    elif earlier is None or change == "removed":
        pending[id] = change
    elif earlier == "removed":
        pending[id] = "changed"


class _Requester:
    """One request at a time over one connection, with gzip, within the quota, repeated where that may help."""

    def __init__(self, base_url, token, keep_free, max_attempts, timeout_s):
        if not re.fullmatch("[!-~]+", token):
            raise ValueError("The token is empty, or has a character that none has (a line break at its end?).")
        base = urllib.parse.urlsplit(base_url.rstrip("/"))
        kind = http.client.HTTPSConnection if base.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(base.hostname, base.port, timeout=timeout_s)
        self._prefix = base.path
        self._token = token
        self._keep_free = keep_free
        self._max_attempts = max_attempts
        self._full_until = 0.0
        self.count = 0
        # Whose programs they are: a digest of the token.
        self.source = hashlib.sha256(token.encode()).hexdigest()

    def close(self):
        self._connection.close()

    def get(self, path, is_data):
        """Status 200 or 404, the Snapshot-Id, and the body of a 200. Raises ProgramsApiError for all else."""
        for turn in range(1, self._max_attempts + 1):
            _pause(self._full_until - time.monotonic())
            request_id = str(uuid.uuid4())
            self.count += 1
            status, headers, body, error = self._attempt(path, is_data, request_id)
            told = _retry_after(headers)
            # Kept for the next call, too: it may follow a last attempt at once.
            self._full_until = max(self._full_until, time.monotonic() + max(self._window_left(headers), told or 0.0))
            if status in (200, 404):
                return status, headers.get("snapshot-id", ""), body
            may_pass = status == 0 or status == 429 or status >= 500
            if not may_pass or turn == self._max_attempts:
                raise ProgramsApiError(path, status, request_id, error)
            if told is None:
                _pause(random.random() * min(60.0, 0.5 * 2**turn))
        raise AssertionError("max_attempts must be at least 1")

    def _attempt(self, path, is_data, request_id):
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "gzip", "X-Request-Id": request_id}
        try:
            self._connection.request("GET", self._prefix + path, headers=headers)
            response = self._connection.getresponse()
            answered = {name.lower(): value for name, value in response.getheaders()}
            data = response.read()
            if response.status != 200:
                return response.status, answered, None, None
            body = json.loads(gzip.decompress(data) if answered.get("content-encoding") == "gzip" else data)
            # Every 200 of the API names its snapshot. A list of somebody else must not empty the copy.
            if not answered.get("snapshot-id") or not is_data(body):
                raise ValueError("a 200 that is not the API's")
            return 200, answered, body, None
        except (OSError, EOFError, ValueError, zlib.error, http.client.HTTPException) as error:
            # Also a body that was cut, or a page of a proxy: it counts as no answer. The next one has a new connection.
            self._connection.close()
            return 0, {}, None, error

    def _window_left(self, headers):
        """How long to ask nothing, so that the quota is never exceeded: RateLimit: "default";r=<left>;t=<seconds>."""
        match = re.search(r";r=(\d+);t=(\d+)", headers.get("ratelimit", ""))
        return float(match[2]) if match and int(match[1]) <= self._keep_free else 0.0


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
