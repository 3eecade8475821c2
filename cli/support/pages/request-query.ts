import { Failure } from "../../../core/failure.ts";
import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { RequestFilter } from "../../operate/log-index/request-filter.ts";
import type { Place } from "../../operate/log-index/top-rows.ts";
import type { Html } from "../../output/html.ts";
import { requestTone } from "../texts/request.ts";
import { badge } from "./parts.ts";

const requestFields = ["tenant", "token", "program", "status", "route", "from", "to"] as const;

export type RequestField = (typeof requestFields)[number];

export interface RequestQueryText {
  /** The fields that are not blank. */
  readonly given: Readonly<Partial<Record<RequestField, string>>>;
  readonly filter: RequestFilter;
  readonly after: Place | undefined;
}

/** Throws `usage` for a value that makes no sense. */
export function requestQuery(query: URLSearchParams): RequestQueryText {
  const given: Partial<Record<RequestField, string>> = {};
  for (const field of requestFields) {
    const text = query.get(field)?.trim() ?? "";
    if (text !== "") given[field] = text;
  }
  const { tenant, token, program, status, route, from, to } = given;
  const filter = {
    tenantId: tenant,
    tokenId: token,
    programId: program,
    route,
    status: status === undefined ? undefined : statusRange(status),
    fromMs: from === undefined ? undefined : instant(from),
    toMs: to === undefined ? undefined : instant(to),
  };
  const after = query.get("after");
  return { given, filter, after: after === null ? undefined : place(after) };
}

/** A place in an address: the time, and the digest of the request's id. */
export function placeText({ timeMs, request }: Place): string {
  return `${new Date(timeMs).toISOString()}_${request.toString(16)}`;
}

function place(text: string): Place {
  const [time = "", request = ""] = text.split("_");
  const found = { timeMs: Date.parse(time), request: Number.parseInt(request, 16) };
  if (Number.isNaN(found.timeMs) || Number.isNaN(found.request)) {
    throw new Failure("usage", "The address is no longer whole: go back to the newest requests.");
  }
  return found;
}

function statusRange(text: string): { readonly from: number; readonly to: number } {
  if (/^[2-5]xx$/.test(text)) {
    const from = Number(text.slice(0, 1)) * 100;
    return { from, to: from + 99 };
  }
  if (text === "errors") return { from: 400, to: 599 };
  if (/^[2-5]\d\d$/.test(text)) return { from: Number(text), to: Number(text) };
  throw new Failure("usage", `${text} is no status: 404, 4xx or errors.`);
}

/** Reads the text of a browser's field for times. It has no zone and counts as UTC, like the log. A day alone is allowed. */
function instant(text: string): number {
  const time = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?)?$/.test(text)
    ? withZone(text)
    : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new Failure("usage", `${text} is no time: 2026-11-21T14:00, in UTC.`);
}

function withZone(text: string): number {
  return Date.parse(text.includes("T") && !text.endsWith("Z") ? `${text}Z` : text);
}

const meanings: Readonly<Record<number, string>> = {
  200: "answered",
  400: "malformed",
  401: "key refused",
  403: "not allowed",
  404: "not found",
  405: "not GET",
  429: "too many",
  500: "our fault",
};

export function statusWords(status: number): string {
  const meaning = meanings[status];
  return meaning === undefined ? String(status) : `${status} ${meaning}`;
}

export function statusBadge(line: RequestLogLine): Html {
  const words = statusWords(line.status);
  return badge(line.isCut ? `${words}, cut off` : words, requestTone(line));
}

export const routeWords: Readonly<Record<string, string>> = {
  list: "the list",
  detail: "one program",
  legacy: "the old address",
  unknown: "another address",
};

export function askedWords({ route, programId }: Pick<RequestLogLine, "route" | "programId">): string {
  return programId ?? routeWords[route] ?? route;
}
