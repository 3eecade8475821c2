"""What an answer changes in the copy, and which detail to read next."""

import datetime
import re


def is_whole_list(body):
    """Whether a body is a whole list: as many elements as it says, each with an id, and no id for two programs.

    Another server's list, or one that a proxy has spoiled, must not empty the copy.
    """
    try:
        data = body["data"]
        if not isinstance(data, list) or body["meta"]["count"] != len(data):
            return False
        by_id = {}
        # The API promises this form of an id, so that it can stand in a path.
        return all(
            re.fullmatch("[A-Za-z0-9][A-Za-z0-9._~-]*", item["id"]) and by_id.setdefault(item["id"], item) == item for item in data
        )
    except (LookupError, TypeError):
        return False


def take_list(state, source, answer):
    """Takes all list fields at once. Only a list says what is gone. `source` is a digest of the token it was read with.

    A list that is older than the copy's is of a server that is behind, or the company went back to an earlier snapshot. So it is
    put off until the next list says the same. Otherwise programs would come and go with the server that happens to answer.
    """
    since, snapshot_id, changed_ids = state["snapshotId"], answer.snapshot_id, answer.changed_ids
    if source == state["source"] and _is_older(answer, state) and snapshot_id != state["heldId"]:
        state["heldId"] = snapshot_id
        return
    # Another token may be another company's, where the same id can stand for another program. Only its own API knows the copy's
    # snapshot, and so what has changed since.
    is_known = snapshot_id == since or changed_ids is not None
    is_perhaps_another = source != state["source"] and not is_known
    old, programs = state["programs"], {}
    for item in answer.body["data"]:
        id = item["id"]
        known = old.get(id)
        is_same = known is not None and known["item"] == item
        has_same_detail = is_same and id not in (changed_ids or ())
        if not is_same:
            note(state["pending"], id, "added" if known is None else "changed")
        if known is None or (is_perhaps_another and not is_same):
            programs[id] = {"item": item, "detail": None, "snapshotId": "", "isDue": True, "turn": 0, "hasFailed": False}
        else:
            # A detail that was read from this very snapshot is as new as the list.
            is_due = (known["isDue"] or not has_same_detail) and known["snapshotId"] != snapshot_id
            is_as_new = changed_ids is not None and known["snapshotId"] == since and not is_due
            detail_of = snapshot_id if is_as_new else known["snapshotId"]
            programs[id] = {**known, "item": item, "isDue": is_due, "snapshotId": detail_of}
    for id in old:
        if id not in programs:
            note(state["pending"], id, "removed")
    earlier_id = state["earlierId"] if snapshot_id == since else since
    state.update(source=source, snapshotId=snapshot_id, generatedAt=answer.generated_at)
    state.update(earlierId=earlier_id, heldId="", programs=programs)


def is_behind(state, answer):
    """Whether an answer is of a server that is behind the copy's list: it names the snapshot before, or an older one.

    Not every other snapshot counts: a newer one is as good, and a first copy would never end beside frequent publications.
    """
    if answer.snapshot_id == state["snapshotId"]:
        return False
    return answer.snapshot_id == state["earlierId"] or _is_older(answer, state)


def _is_older(answer, state):
    """A time that is not said, or is none, is older than no other."""
    if answer.snapshot_id == state["snapshotId"]:
        return False
    try:
        return _time(answer.generated_at) < _time(state["generatedAt"])
    except (ValueError, TypeError):
        return False


def _time(said):
    return datetime.datetime.fromisoformat(said.replace("Z", "+00:00"))


def take_detail(state, id, answer, detail):
    """Takes a detail as it was just read from a snapshot, or None for a program that is published no more."""
    if detail is None:
        note(state["pending"], id, "removed")
        del state["programs"][id]
        return
    program = state["programs"][id]
    item = program["item"]
    further = {key: value for key, value in detail.items() if key not in item}
    if program["detail"] != further:
        note(state["pending"], id, "changed")
    # Around a publication the detail may be from an older or a newer snapshot than the list. The next list decides about it.
    is_due = any(detail.get(key, value) != value for key, value in item.items()) or is_behind(state, answer)
    state["turn"] += 1
    program.update(detail=further, snapshotId=answer.snapshot_id, isDue=is_due, turn=state["turn"], hasFailed=False)


def take_failure(state, id):
    """Notes that a detail could not be read."""
    state["turn"] += 1
    state["programs"][id].update(turn=state["turn"], hasFailed=True)


def details_to_read(state, refresh_per_poll):
    """The details to read, the longest unread first.

    Programs that have changed come before new ones, for you show them already; then some that may have changed. What failed
    last time comes last, lest it holds up the rest.
    """
    changed, added, rest, failed = [], [], [], []
    programs = state["programs"]
    for id in sorted(programs, key=lambda id: programs[id]["turn"]):
        program = programs[id]
        if program["isDue"]:
            (failed if program["hasFailed"] else added if program["detail"] is None else changed).append(id)
        elif program["snapshotId"] != state["snapshotId"]:
            rest.append(id)
    return [*changed, *added, *rest[:refresh_per_poll], *failed]


def changes_of(noted):
    return {wanted: [id for id in noted if noted[id] == wanted] for wanted in ("added", "changed", "removed")}


def note(noted, id, change):
    """Adds a change to what is noted: two of one program become one.

    One that was added and removed is still told as removed: a process that was killed may have told that it was added.
    """
    earlier = noted.get(id)
    if earlier is None or change == "removed":
        noted[id] = change
    elif earlier == "removed":
        noted[id] = "changed"
