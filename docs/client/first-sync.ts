// One poll, and what it brought. Run it every two minutes; the token is in PARTNER_TOKEN.
// Exit status: 0 done, 1 something could not be read, 75 an earlier run is still at work.
import { appendFileSync } from "node:fs";
import {
  BadOptionError,
  CopyInUseError,
  createProgramsClient,
  ProgramsApiError,
  stateFile,
} from "./programs-client.ts";

try {
  const client = createProgramsClient({
    baseUrl: process.env.PARTNER_API ?? "https://programs.example.com",
    token: process.env.PARTNER_TOKEN ?? "",
    state: stateFile("programs.json"),
    /** Put the programs into your database here. After a crash the same may come again. */
    onUpdate({ added, changed, removed, detailsLeft, secondsLeft }) {
      const told = `${added.length} new, ${changed.length} changed, ${removed.length} gone`;
      const wait =
        secondsLeft > 0 ? `, for which the quota needs ${Math.round(secondsLeft / 60)} minutes` : "";
      console.log(detailsLeft > 0 ? `${told}; ${detailsLeft} details to read${wait}` : told);
    },
    onCall({ path, status, ms, requestId }) {
      const line = `${new Date().toISOString()} GET ${path} ${status} ${ms} ms, request ${requestId}\n`;
      try {
        appendFileSync("programs.log", line);
      } catch (error) {
        // A full disk, perhaps: the copy is worth more than its log.
        console.error(String(error));
      }
    },
  });
  const { programs, requests, failed } = await client.sync();
  console.log(`${programs.size} programs after ${requests} requests, for example:`);
  for (const { item, detail } of [...programs.values()].slice(0, 10)) {
    const { name, departureDate, capacity } = item;
    const places = `(${capacity.remaining} of ${capacity.total} places left)`;
    const start = detail === null ? "not read yet" : detail.departurePoint;
    console.log(departureDate ?? "no date   ", name, places, start ?? "");
  }
  for (const error of failed.values()) console.error(error.message);
  process.exitCode = failed.size > 0 ? 1 : 0;
} catch (error) {
  const isForeseen = [BadOptionError, CopyInUseError, ProgramsApiError].some((kind) => error instanceof kind);
  if (!isForeseen || !(error instanceof Error)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof CopyInUseError ? 75 : 1;
}
