import { printableJson, singleLine } from "../../core/ground/printable.ts";
import type { Style } from "../output/layout.ts";

/** A request of the demonstration, and what its answer must have. */
interface Plan {
  readonly title: string;
  readonly path: string;
  readonly token?: string;
  readonly status: number;
  readonly header?: string;
  readonly id?: string;
}

type Answer = Awaited<ReturnType<typeof get>>;

/** One request and its answer. `fault`: what is wrong with it; `undefined` when it is as expected. */
export interface Exchange extends Plan {
  readonly answer: Answer;
  readonly fault: string | undefined;
}

export interface Cast {
  readonly baseUrl: string;
  /** A token of a tenant, and another one of the same tenant that allows a single request per window. */
  readonly token: string;
  readonly narrowToken: string;
  /** A token of another tenant, whose programs the first tenant must not see. */
  readonly strangerToken: string;
}

/** Makes the requests one after the other. */
export async function makeRequests(cast: Cast): Promise<readonly Exchange[]> {
  const { baseUrl, token, narrowToken, strangerToken } = cast;
  const path = "/v1/programs";
  const id = await firstId(baseUrl, token);
  const strangersId = await firstId(baseUrl, strangerToken);
  await get(baseUrl, path, narrowToken);
  const old = { path: "/api/v1/partner/programs", header: "deprecation" };
  const plans: readonly Plan[] = [
    { title: "The list", path, token, status: 200 },
    { title: "One program, all public fields", path: `${path}/${id}`, token, status: 200, id },
    { title: "The resource for old integrations", ...old, token, status: 200 },
    { title: "Another company's program does not exist", path: `${path}/${strangersId}`, token, status: 404 },
    { title: "No token, no answer", path, status: 401 },
    { title: "A second request in a minute", path, token: narrowToken, status: 429, header: "retry-after" },
  ];
  const exchanges: Exchange[] = [];
  for (const plan of plans) {
    const answer = await get(baseUrl, plan.path, plan.token);
    exchanges.push({ ...plan, answer, fault: faultOf(plan, answer) });
  }
  return exchanges;
}

interface Body {
  readonly data?: { readonly id?: string; readonly length?: number };
  readonly meta?: { readonly count: number };
}

async function get(baseUrl: string, path: string, token?: string) {
  const options = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  const response = await fetch(baseUrl + path, options);
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Body };
}

async function firstId(baseUrl: string, token: string): Promise<string> {
  const { status, body } = await get(baseUrl, "/v1/programs", token);
  const [first] = (body.data ?? []) as readonly { readonly id: string }[];
  if (first === undefined) throw new Error(`The list has no programs (status ${status}).`);
  return first.id;
}

function faultOf({ status, header, id }: Plan, answer: Answer): string | undefined {
  if (status !== answer.status) return `expected ${status}, got ${answer.status}`;
  if (header !== undefined && !answer.headers.has(header)) return `it has no header ${header}`;
  const { data, meta } = answer.body;
  if (id !== data?.id) return "it is about another program";
  if (meta !== undefined && meta.count !== data?.length) return "meta.count is not the number of programs";
  return undefined;
}

/** At most this many lines of an answer are shown. */
const shownLines = 12;

/** The exchange for people. */
export function exchangeText({ title, path, answer, fault }: Exchange, style: Style): string {
  const { status, headers, body } = answer;
  const notable = ["retry-after", "ratelimit", "snapshot-generated-at", "deprecation"]
    .filter((name) => headers.has(name))
    .map((name) => singleLine(`${name}: ${headers.get(name)}`));
  const lines = printableJson(body).split("\n");
  const shown = [
    style.faint(singleLine(`GET ${path}`)),
    `${style.bold(String(status))}  ${style.faint(notable.join("  "))}`.trimEnd(),
    ...lines.slice(0, shownLines),
    ...(lines.length > shownLines ? [style.faint(`... ${lines.length - shownLines} more lines`)] : []),
    ...(fault === undefined ? [] : [style.bad(`not as expected: ${singleLine(fault)}`)]),
  ];
  const sign = fault === undefined ? style.good("✓") : style.bad("✗");
  return `\n ${sign} ${title}\n${indented(shown.join("\n"))}\n`;
}

export function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "   ");
}
