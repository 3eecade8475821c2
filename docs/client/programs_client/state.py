"""Your copy of a company's programs as a file between polls."""

import contextlib
import errno
import glob
import json
import os
import time
import uuid

from .request import parse_json

try:
    import fcntl

    def _lock(file):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _lock(file):
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)


SAVE_EVERY_S = 2
UNFINISHED_AFTER_S = 600  # no write takes so long


class CopyInUseError(Exception):
    """Another process is in the middle of a poll with the same copy."""

    def __init__(self, path):
        super().__init__(f"Another run is still at work on {path}; this one did nothing.")


class StateFile:
    """The copy as one file, replaced as a whole: a crash leaves the old one or the new one."""

    def __init__(self, path):
        self._path = path

    @contextlib.contextmanager
    def locked(self):
        """Keeps other processes away. Raises CopyInUseError while another one is at it."""
        # The system takes a lock back when its process ends, however it ends. The empty file stays.
        with open(f"{self._path}.lock", "a") as file:
            try:
                _lock(file)
            except (BlockingIOError, PermissionError) as error:
                raise CopyInUseError(self._path) from error
            # The time of the file system, which may be another machine's.
            os.utime(file.fileno() if os.utime in os.supports_fd else file.name)
            now = os.fstat(file.fileno()).st_mtime
            for unfinished in glob.glob(f"{glob.escape(self._path)}.*.new"):
                _remove_old(unfinished, now)
            yield

    def load(self):
        # `generatedAt` is the list's; `earlierId` the snapshot before it, which a server that is behind still has; `heldId` that of
        # an older list, which is taken when the next list says the same.
        state = {"format": 2, "source": "", "snapshotId": "", "generatedAt": "", "earlierId": "", "heldId": ""}
        state.update(turn=0, programs={}, pending={})
        try:
            with open(self._path, encoding="utf-8") as file:
                stored = parse_json(file.read())
            if stored["format"] != 2 or not isinstance(stored["programs"], dict):
                raise ValueError("another format")
            state.update(stored)
        except FileNotFoundError:
            pass
        except (ValueError, KeyError, TypeError) as error:
            what = f"{self._path} is not a whole state file of this client; move it away, and all is read anew."
            raise ValueError(what) from error
        return state

    def save(self, state):
        # Each write has a file of its own, because the lock does not keep a process on another machine away.
        written = f"{self._path}.{uuid.uuid4()}.new"
        try:
            # Half of a surrogate pair has no bytes in UTF-8: it is written as JSON has it, `\ud83d`.
            with open(written, "x", encoding="utf-8", errors="backslashreplace") as file:
                file.write(json.dumps(state, ensure_ascii=False, separators=(",", ":"), default=_number))
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, self._path)
            _sync_folder(os.path.dirname(os.path.abspath(self._path)))
        except BaseException:
            if os.path.exists(written):
                os.remove(written)
            raise


def _remove_old(unfinished, now):
    """Removes what a process that was killed had begun to write, and nothing that may still be written."""
    with contextlib.suppress(FileNotFoundError):
        if now - os.stat(unfinished).st_mtime > UNFINISHED_AFTER_S:
            os.remove(unfinished)


def _sync_folder(path):
    """After this, the new name stays also when the machine fails. Windows has no such call, and some shared folders refuse it."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(folder)


def _number(amount):
    """A decimal as a number of JSON: no amount of the API has more digits than one holds exactly."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)


class Saver:
    """Saves by time: within two seconds, and a large copy so seldom that this takes a tenth of the time at most."""

    def __init__(self, file, state):
        self._file = file
        self._state = state
        self._needed_at = None
        self._took_s = 0.0

    def need(self):
        """Something has changed since it was saved last."""
        if self._needed_at is None:
            self._needed_at = time.monotonic()

    def is_due(self, pause_s):
        """Whether it is time to save before a pause of so many seconds."""
        if self._needed_at is None:
            return False
        return time.monotonic() + pause_s - self._needed_at >= max(SAVE_EVERY_S, 10 * self._took_s)

    def save(self):
        """Saves what is needed."""
        if self._needed_at is None:
            return
        since = time.monotonic()
        self._file.save(self._state)
        self._took_s = time.monotonic() - since
        self._needed_at = None
