import { once } from "node:events";
import { request } from "node:http";
import type { CommandOptions, CommandResult } from "./command-line.ts";
import type { SupportDesk } from "./support-desk.ts";

/** `inspect` as it is started, until it is stopped. */
export interface InspectRun {
  readonly port: number;
  readonly printed: string;
  readonly ended: Promise<CommandResult>;
  stop(): Promise<CommandResult>;
}

export async function runInspect(
  desk: SupportDesk,
  args: readonly string[],
  options: Pick<CommandOptions, "env" | "now"> = {},
): Promise<InspectRun> {
  const interruption = new AbortController();
  let ended: Promise<CommandResult> | undefined;
  const printed = await new Promise<string>((resolve) => {
    ended = desk.run(["inspect", "--port", "0", ...args], {
      ...options,
      signal: interruption.signal,
      onOutput: resolve,
    });
  });
  if (ended === undefined) throw new Error("did not start");
  const ending = ended;
  return {
    port: Number(/:(\d+)\//.exec(printed)?.[1]),
    printed,
    ended: ending,
    stop: () => {
      interruption.abort();
      return ending;
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Asks the pages of a port. Headers as they are given, twice the same one as well. */
export async function askPages(
  port: number,
  headers: readonly (readonly [string, string])[],
  path = "/",
): Promise<Reply> {
  const named = headers.some(([name]) => name === "Host");
  const all = named ? headers : [["Host", `127.0.0.1:${port}`] as const, ...headers];
  // A connection of its own: a kept one may have been closed while the test was busy with something else.
  const req = request({ port, host: "127.0.0.1", path, headers: all.flat(), agent: false });
  req.end();
  const [res] = await once(req, "response");
  let text = "";
  for await (const chunk of res) text += String(chunk);
  return { status: res.statusCode, text, headers: res.headers };
}

/** What the log has of the visits, each line an object. */
export function visits({
  stderr,
}: Pick<CommandResult, "stderr">): readonly Readonly<Record<string, unknown>>[] {
  return stderr
    .split("\n")
    .filter((text) => text.includes('"visit"'))
    .map((text) => JSON.parse(text));
}
