"""One poll, and what it brought. Run it every two minutes; the token is in PARTNER_TOKEN."""

import os

from programs_client import ProgramsClient

client = ProgramsClient("https://programs.example.com", os.environ["PARTNER_TOKEN"], "programs.json")
result = client.sync()
print(f"{len(result.programs)} programs after {result.requests} requests")
print(f"{len(result.added)} new, {len(result.changed)} changed, {len(result.removed)} gone")
for program in result.programs.values():
    places = program["capacity"]
    date = program["departureDate"] or "no date   "
    print(date, program["name"], f"({places['remaining']} of {places['total']} places left)")
