import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { Html } from "../../output/html.ts";
import { badge, type Tone } from "./parts.ts";

/** What each answer means, for people. */
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

export function statusBadge({ status, isCut }: Pick<RequestLogLine, "status" | "isCut">): Html {
  return badge(isCut ? `${statusWords(status)}, cut off` : statusWords(status), statusTone(status, isCut));
}

export function statusTone(status: number, isCut: boolean): Tone {
  if (status >= 500) return "bad";
  return status >= 400 || isCut ? "doubtful" : "good";
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
