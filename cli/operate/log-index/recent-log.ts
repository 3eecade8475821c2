import { open } from "node:fs/promises";
import { asFailure } from "../../../core/failure.ts";
import { isCompressedLog, type LogSource, openLog } from "../gateway-log/open-log.ts";
import { requestLine } from "../gateway-log/request-line.ts";
import { bytesOf, readLinesBack, wholeLines, wholeLinesEnd } from "../gateway-log/whole-lines.ts";
import { LogIndex } from "./log-index.ts";
import type { LogState } from "./request-log.ts";

const hourMs = 3_600_000;
/** A gateway's first line, at the beginning of its log, names its store. */
const beginningBytes = 64 * 1024;

/** Indexes the last hour of the logs while `ask` runs, which gets `undefined` when there is no log. Only compressed logs are read whole. */
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
    const beginning = file && (await bytesOf(file, 0, beginningBytes));
    if (file === undefined || beginning === undefined || isCompressedLog(source.name, beginning)) {
      for await (const lines of wholeLines(openLog(source, signal))) await index.add(lines);
      return;
    }
    index.addNotes(beginning);
    const { size } = await file.stat();
    const take = async (lines: Buffer): Promise<boolean> => {
      await index.add(lines);
      return !isOlder(lines, fromMs);
    };
    await readLinesBack(file, await wholeLinesEnd(file, size), take, signal);
  } finally {
    await file?.close();
  }
}

/** Whether these lines begin before that time. The lines of a log are in the order of time. */
function isOlder(lines: Buffer, fromMs: number): boolean {
  for (let from = 0; from < lines.length; ) {
    const lineFeed = lines.indexOf(0x0a, from);
    const end = lineFeed === -1 ? lines.length : lineFeed;
    const first = requestLine(lines.toString("utf8", from, end));
    if (first !== undefined) return Date.parse(first.time) < fromMs;
    from = end + 1;
  }
  return false;
}
