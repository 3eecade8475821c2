import { createServer, type IncomingHttpHeaders } from "node:http";
import { openServer } from "./open-server.ts";

/** A snapshot of a company's programs: of each the list's field `name` and the detail's field `text`. */
export interface ScriptedSnapshot {
  readonly id: string;
  readonly generatedAt: string;
  readonly programs: Readonly<Record<string, readonly [name: string, text: string]>>;
  /** The snapshot that it follows. */
  readonly after?: ScriptedSnapshot | undefined;
}

export interface ScriptedRequest {
  readonly path: string;
  /** The program whose detail is asked for; `undefined` for the list. */
  readonly programId: string | undefined;
  /** Counts from 1 in each poll. */
  readonly count: number;
  readonly headers: IncomingHttpHeaders;
}

export interface ScriptedReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON, or as it is when it is a text. */
  readonly body?: unknown;
}

/** What a request gets: the answer of a server that serves this snapshot, or something else. */
export type Script = (
  request: ScriptedRequest,
) => ScriptedSnapshot | ScriptedReply | Promise<ScriptedSnapshot | ScriptedReply>;

/** A server that answers as its script says, as several gateways behind one address may. */
export type ScriptedApi = Awaited<ReturnType<typeof startScriptedApi>>;

export async function startScriptedApi() {
  let seen: string[] = [];
  let script: Script = () => ({ status: 500 });
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? "";
    seen.push(path);
    const programId = path.startsWith("/v1/programs/") ? path.slice("/v1/programs/".length) : undefined;
    const said = await script({ path, programId, count: seen.length, headers: incoming.headers });
    const since = incoming.headers["snapshot-since"];
    const { status, headers = {}, body } = "programs" in said ? served(said, programId, since) : said;
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
    );
    outgoing.writeHead(status, { "content-type": "application/json", ...sent });
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body ?? {}));
  });
  const { url, close } = await openServer(server);
  return {
    url,
    /** The paths that were asked for since the last `follow`. */
    get seen(): readonly string[] {
      return seen;
    },
    follow(next: Script) {
      seen = [];
      script = next;
    },
    close,
  };
}

/** What a gateway answers that serves this snapshot. */
export function served(
  snapshot: ScriptedSnapshot,
  programId?: string,
  since?: string | readonly string[],
): ScriptedReply {
  const headers = { "snapshot-id": snapshot.id, "snapshot-generated-at": snapshot.generatedAt };
  if (programId !== undefined) {
    const program = snapshot.programs[programId];
    if (program === undefined) return { status: 404, headers };
    const [name, text] = program;
    return { status: 200, headers, body: { data: { id: programId, name, text } } };
  }
  const data = Object.entries(snapshot.programs).map(([id, [name]]) => ({ id, name }));
  const changed = since === undefined ? {} : { "snapshot-changed": changedSince(snapshot, String(since)) };
  return { status: 200, headers: { ...headers, ...changed }, body: { data, meta: { count: data.length } } };
}

/**
 * As `Snapshot-Changed` has it: the ids whose detail is another one than in an earlier snapshot of this one's
 * line.
 */
function changedSince(snapshot: ScriptedSnapshot, since: string): string {
  let earlier: ScriptedSnapshot | undefined = snapshot;
  while (earlier !== undefined && earlier.id !== since) earlier = earlier.after;
  if (earlier === undefined) return "*";
  const { programs } = earlier;
  const ids = Object.keys(snapshot.programs).filter(
    (id) => JSON.stringify(programs[id]) !== JSON.stringify(snapshot.programs[id]),
  );
  return ids.join(",");
}
