"""One poll, and what it brought. Run it every two minutes; the token is in PARTNER_TOKEN.

Exit status: 0 done, 1 something could not be read, 75 an earlier run is still at work.
"""

import logging
import os
import sys

from programs_client import BadOptionError, CopyInUseError, ProgramsApiError, ProgramsClient

base_url = os.environ.get("PARTNER_API", "https://programs.example.com")
# A terminal or file that is not UTF-8, as on Windows, gets what it lacks as \u0627.
sys.stdout.reconfigure(errors="backslashreplace")
logging.basicConfig(filename="programs.log", format="%(asctime)s %(message)s", level=logging.INFO)


def log(call):
    logging.info("GET %s %d %.3f s, request %s", call.path, call.status, call.seconds, call.request_id)


def take(update):
    """Put the programs into your database here. After a crash the same may come again."""
    print(f"{len(update.added)} new, {len(update.changed)} changed, {len(update.removed)} gone", end="")
    if update.details_left > 0:
        wait = f", for which the quota needs {update.seconds_left / 60:.0f} minutes" if update.seconds_left else ""
        print(f"; {update.details_left} details to read{wait}", end="")
    print(flush=True)


try:
    client = ProgramsClient(base_url, os.environ.get("PARTNER_TOKEN", ""), "programs.json", on_update=take, on_call=log)
    result = client.sync()
except CopyInUseError as error:
    print(error, file=sys.stderr)
    sys.exit(75)
except (BadOptionError, ProgramsApiError) as error:
    sys.exit(str(error))  # exit status 1
print(f"{len(result.programs)} programs after {result.requests} requests, for example:")
for program in list(result.programs.values())[:10]:
    item, detail = program["item"], program["detail"]
    places = f"{item['capacity']['remaining']} of {item['capacity']['total']} places left"
    start = "not read yet" if detail is None else detail["departurePoint"]
    print(item["departureDate"] or "no date   ", item["name"], f"({places})", start or "")
for error in result.failed.values():
    print(error, file=sys.stderr)
sys.exit(1 if result.failed else 0)
