"""The client as you use it."""

import threading

from .poll import Poll
from .request import Requester
from .state import StateFile


class ProgramsClient:
    """Keeps your copy of one company's programs in a file. The README has all options.

    `on_update` takes over what has changed, while the poll goes on: first what the list says, then details as they come.
    After a crash, or when it raises, it is told the same again, so that nothing is ever missed.
    """

    def __init__(
        self,
        base_url,
        token,
        state_path,
        *,
        on_update=None,
        on_call=None,
        refresh_per_poll=10,
        ask_again_s=2,
        details_per_poll=None,
        list_every_s=120,
        keep_free=0,
        max_attempts=6,
        timeout_s=30,
    ):
        self._requester = Requester(base_url, token, keep_free, max_attempts, timeout_s, on_call)
        self._file = StateFile(state_path)
        self._options = {
            "on_update": on_update,
            "refresh_per_poll": refresh_per_poll,
            "ask_again_s": ask_again_s,
            "details_per_poll": float("inf") if details_per_poll is None else details_per_poll,
            "list_every_s": list_every_s,
        }
        self._one_at_a_time = threading.Lock()

    def sync(self):
        """One poll; a call during another one waits for it. Gives a SyncResult.

        Raises when the API gives no list, or refuses the token; what was read is kept.
        """
        with self._one_at_a_time, self._file.locked():
            try:
                return Poll(self._requester, self._file, **self._options).run()
            finally:
                # The server would end it before the next poll.
                self._requester.close()
