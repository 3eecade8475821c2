import type { ObjectStore } from "../../../core/object-store.ts";
import type { GatewayLog } from "../../operate/gateway-log/gateway-log.ts";
import type { Reader } from "../../output/times.ts";
import type { AskedDatabase } from "../facts/asked-database.ts";
import type { Page } from "./page.ts";

export type Answer = Page | Redirect;

export interface Redirect {
  readonly location: string;
}

/** The sources of the pages. A page gets all its data and the time from here. */
export interface Inspection {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  /** The gateway's logs; without any there are no requests to look at. */
  readonly log?: GatewayLog;
  /** The reader's time, in the zone of `--time-zone`. */
  readonly reader: () => Reader;
  readonly signal: AbortSignal;
}

/** A kind of address; `undefined` where the segments, already decoded, are of another kind. */
export type Route = (
  segments: readonly string[],
  query: URLSearchParams,
  inspection: Inspection,
) => Promise<Answer> | undefined;

/** The rows of a list that belong on the page that the address asks for, and which page that is, from 1. */
export function pageOf<Row>(all: readonly Row[], query: URLSearchParams) {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const page = Math.min(Math.max(1, Math.trunc(Number(query.get("page") ?? 1)) || 1), pages);
  const rows = all.slice((page - 1) * perPage, page * perPage);
  return { rows, page, pages, place: pages > 1 ? `, page ${page} of ${pages}` : "" };
}

const perPage = 50;

/**
 * A page and its address. A segment of `pattern` that begins with a colon takes any text that isn't empty; the page gets these in
 * their order. It throws `usage` or `not_found` when the address asks for nothing.
 */
export function route(
  pattern: string,
  page: (ids: readonly string[], query: URLSearchParams, inspection: Inspection) => Promise<Answer>,
): Route {
  const wanted = pattern.split("/").slice(1);
  const isId = wanted.map((part) => part.startsWith(":"));
  return (segments, query, inspection) => {
    const fits = wanted.every((part, at) => (isId[at] ? segments[at] !== "" : segments[at] === part));
    if (segments.length !== wanted.length || !fits) return undefined;
    return page(
      segments.filter((_, at) => isId[at]),
      query,
      inspection,
    );
  };
}
