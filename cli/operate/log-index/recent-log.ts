import { type FileHandle, open } from "node:fs/promises";
import { asFailure } from "../../../core/failure.ts";
import { isCompressedLog, type LogSource, openLog } from "../gateway-log/open-log.ts";
import { requestLine } from "../gateway-log/request-line.ts";
import { beginningOf, readLines, wholeLines } from "../gateway-log/whole-lines.ts";
import { LogIndex } from "./log-index.ts";
import type { LogState } from "./request-log.ts";

const hourMs = 3_600_000;
/** The start line of a gateway stands in the beginning of its log, and names its store. */
const beginningBytes = 64 * 1024;
/** What is read back at a time while the beginning of the last hour is looked for. */
const stepBytes = 4 * 1024 * 1024;

/** The logs' last hour, for as long as `ask` takes; `undefined` without a log. Of a plain file no more is read than that. */
export async function withRecentLog<Answer>(
  sources: readonly LogSource[],
  now: Date,
  signal: AbortSignal,
  ask: (log: { readonly index: LogIndex; state(): LogState } | undefined) => Promise<Answer>,
): Promise<Answer> {
  if (sources.length === 0) return await ask(undefined);
  using index = new LogIndex();
  const faults: string[] = [];
  for (const source of sources) {
    await readRecent(source, index, now.getTime() - hourMs, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      faults.push(asFailure(error).message);
    });
  }
  const state = (): LogState => {
    const { requests, covers, isDropping } = index;
    return { progress: 1, requests, covers, isDropping, faults };
  };
  return await ask({ index, state });
}

async function readRecent(
  source: LogSource,
  index: LogIndex,
  fromMs: number,
  signal: AbortSignal,
): Promise<void> {
  const file = source.name === "-" ? undefined : await open(source.name, "r").catch(() => undefined);
  try {
    const beginning = file && (await beginningOf(file, beginningBytes));
    if (file === undefined || beginning === undefined || isCompressedLog(source.name, beginning)) {
      for await (const lines of wholeLines(openLog(source, signal))) await index.add(lines);
      return;
    }
    index.addNotes(beginning);
    const position = await recentPosition(file, fromMs);
    await readLines(file, position, async (lines) => void (await index.add(lines)), signal);
  } finally {
    await file?.close();
  }
}

/** Where the lines of that time begin, or somewhat before: the lines of a log are in the order of time. */
async function recentPosition(file: FileHandle, fromMs: number): Promise<number> {
  const { size } = await file.stat();
  for (let position = size - stepBytes; position > 0; position -= stepBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(stepBytes), 0, 256 * 1024, position);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n").slice(1);
    const first = lines.map(requestLine).find((line) => line !== undefined);
    if (first !== undefined && Date.parse(first.time) < fromMs) return position;
  }
  return 0;
}
