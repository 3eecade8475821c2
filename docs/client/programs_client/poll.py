"""One poll, and what it tells."""

import time
import urllib.parse
from dataclasses import dataclass
from typing import Dict, List, Optional, TypedDict

from .changes import changes_of, details_to_read, is_behind, is_whole_list, note, take_detail, take_failure, take_list
from .request import ProgramsApiError
from .state import Saver

# After so many failures in a row the server is in trouble: the poll reads no further details, and the next one goes on.
MAX_FAILURES_IN_A_ROW = 10


class CopiedProgram(TypedDict):
    """A program of your copy."""

    item: dict  # the list's fields, of the last list: name, dates, places, prices
    detail: Optional[dict]  # the further fields, as last read; None until they have been read once


@dataclass
class Update:
    """What is different, and how far the copy is."""

    added: List[str]  # ids
    changed: List[str]
    removed: List[str]
    programs: Dict[str, CopiedProgram]  # the whole copy, by id
    details_left: int  # programs that are new or have changed, and whose detail has not been read since
    seconds_left: float  # about how long the quota makes those wait


@dataclass
class SyncResult(Update):
    """What a poll did. `added`, `changed` and `removed` say what is different since the last poll that succeeded."""

    snapshot_id: str
    requests: int  # that this poll made
    failed: Dict[str, ProgramsApiError]  # details that could not be read, by id; the next poll tries them again
    waiting_for_refresh: int  # programs whose detail may be older than the list's snapshot; later polls read it


class Poll:
    """Reads the list, then one detail after the other, and saves and tells what is new every few seconds."""

    def __init__(self, requester, file, on_update, refresh_per_poll, ask_again_s, details_per_poll, list_every_s):
        self._requester = requester
        self._on_update = on_update
        self._refresh_per_poll = refresh_per_poll
        self._ask_again_s = ask_again_s
        self._details_per_poll = details_per_poll
        self._list_every_s = list_every_s
        self._state = file.load()
        self._saver = Saver(file, self._state)
        self._told = {}
        self._failed = {}
        self._list_at = 0.0
        self._asked = self._failed_in_a_row = 0

    def run(self):
        requests_before = self._requester.count
        try:
            is_list_due = True
            while is_list_due:
                self._read_list()
                is_list_due = self._read_details()
            self._save_and_tell(is_end=True)
        finally:
            self._saver.save()
        snapshot_id = self._state["snapshotId"]
        return SyncResult(
            **changes_of(self._told),
            **self._progress(),
            snapshot_id=snapshot_id,
            requests=self._requester.count - requests_before,
            failed=self._failed,
            waiting_for_refresh=self._count(lambda program: program["snapshotId"] != snapshot_id),
        )

    def _read_list(self):
        answer, state = self._ask_for_list(), self._state
        self._list_at = time.monotonic()
        source = self._requester.source
        if answer.snapshot_id != state["snapshotId"] or source != state["source"] or state["heldId"] != "":
            self._saver.need()
        take_list(state, source, answer)
        self._failed = {id: error for id, error in self._failed.items() if id in state["programs"]}
        self._save_and_tell()

    def _ask_for_list(self):
        path, since = "/v1/programs", self._state["snapshotId"]
        answer = self._requester.get(path, is_whole_list, since=since)
        if answer.status == 404:
            # The list is never missing: this is another server, or another path of it. The copy stays as it is.
            raise ProgramsApiError(f"{path} (is the base address right?)", answer.status, answer.request_id)
        if since == "" or answer.snapshot_id == since or answer.changed_ids is not None:
            return answer
        time.sleep(self._ask_again_s)
        try:
            second = self._requester.get(path, is_whole_list, attempts=1, since=since)
        except ProgramsApiError as error:
            if error.ends_poll:
                raise
            return answer
        return second if second.status == 200 else answer

    def _read_details(self):
        """Whether it stopped because the list is due again."""
        # Once a detail has failed, the others get one attempt each, so that many that fail do not hold up the rest.
        is_insisting = True
        for id in details_to_read(self._state, self._refresh_per_poll):
            if self._asked >= self._details_per_poll or self._failed_in_a_row >= MAX_FAILURES_IN_A_ROW:
                return False
            self._asked += 1
            is_read = self._read_detail(id, is_insisting and not self._state["programs"][id]["hasFailed"])
            is_insisting = is_insisting and is_read
            self._failed_in_a_row = 0 if is_read else self._failed_in_a_row + 1
            self._saver.need()
            wait_s = self._requester.wait_s()
            if self._saver.is_due(wait_s):
                self._save_and_tell()
            if time.monotonic() + wait_s - self._list_at >= self._list_every_s:
                return True
        return False

    def _read_detail(self, id, is_insisted):
        """Whether the detail could be read. Raises when the token is refused."""
        path = "/v1/programs/" + urllib.parse.quote(id, safe="")
        try:
            answer = self._requester.get(path, lambda body: _is_detail(body, id), None if is_insisted else 1, is_detail=True)
            if answer.status == 404 and (answer.snapshot_id == "" or is_behind(self._state, answer)):
                # The API's own 404 names the snapshot that lacks the program. Another one comes from a proxy on the way, and a server
                # that is behind does not know the program yet.
                raise ProgramsApiError(path, answer.status, answer.request_id)
        except ProgramsApiError as error:
            if error.ends_poll:
                # What was read before is told.
                self._save_and_tell()
                raise
            take_failure(self._state, id)
            self._failed[id] = error
            return False
        take_detail(self._state, id, answer, None if answer.status == 404 else answer.body["data"])
        self._failed.pop(id, None)
        return True

    def _save_and_tell(self, is_end=False):
        """Without on_update, the result tells everything at the end."""
        pending = self._state["pending"]
        if pending:
            # Save first whatever is to be told: after a crash, the client could not take back what it had told and not saved.
            self._saver.need()
        self._saver.save()
        if not pending or (self._on_update is None and not is_end):
            return
        if self._on_update is not None:
            self._on_update(Update(**changes_of(pending), **self._progress()))
        for id, change in pending.items():
            note(self._told, id, change)
        self._state["pending"] = {}
        self._saver.need()

    def _progress(self):
        left = self._count(lambda program: program["isDue"])
        seconds_left = self._requester.seconds_for(left)
        return {"programs": self._state["programs"], "details_left": left, "seconds_left": seconds_left}

    def _count(self, is_one):
        return sum(1 for program in self._state["programs"].values() if is_one(program))


def _is_detail(body, id):
    try:
        return body["data"]["id"] == id
    except (LookupError, TypeError):
        return False
