import type { ObjectStore } from "../../../core/object-store.ts";
import type { RequestLog } from "../../operate/log-index/request-log.ts";
import type { Reader } from "../../output/times.ts";
import type { AskedGateway } from "../facts/ask-gateway.ts";
import type { AskedDatabase } from "../facts/asked-database.ts";
import type { Page } from "./page.ts";

export type Answer = Page | Redirect | Download;

export interface Redirect {
  readonly location: string;
}

export interface Download {
  /** The name has only letters, digits, `.`, `_`, `~` and `-`. */
  readonly fileName: string;
  readonly contentType: string;
  readonly body: string;
}

/** What the pages are made from: whatever a page needs of the world comes to it through here. */
export interface Inspection {
  readonly store: ObjectStore;
  readonly database: AskedDatabase;
  /** The gateway's logs; without any there are no requests to look at. */
  readonly log?: RequestLog;
  /** What the pages may ask as a partner would; without it nothing is asked. */
  readonly gateway?: AskedGateway;
  /** The reader's time, in the zone of `--time-zone`. */
  readonly reader: () => Reader;
  readonly signal: AbortSignal;
}

export interface RouteParts<Pattern extends string, Input> {
  /** Segments of a path; one that begins with a colon takes any text that isn't empty and names it. */
  readonly pattern: Pattern;
  /** What the address asks for. Throws `usage` or `not_found` for what asks for nothing. */
  readonly parse: (named: Named<Pattern>, query: URLSearchParams) => Input;
  readonly page: (input: Input, inspection: Inspection) => Promise<Answer>;
}

/** A kind of address; `undefined` where the segments, already decoded, are of another kind. */
export type Route = (
  segments: readonly string[],
  query: URLSearchParams,
  inspection: Inspection,
) => Promise<Answer> | undefined;

export function route<const Pattern extends string, Input>(parts: RouteParts<Pattern, Input>): Route {
  const { pattern, parse, page } = parts;
  const wanted = pattern.split("/").slice(1);
  return (segments, query, inspection) => {
    if (!isOfKind(segments, wanted)) return undefined;
    const named = Object.fromEntries(
      wanted.flatMap((name, at) => (isName(name) ? [[name.slice(1), segments[at]]] : [])),
    ) as Named<Pattern>;
    return page(parse(named, query), inspection);
  };
}

type Named<Pattern extends string> = { readonly [Name in NameIn<Pattern>]: string };

type NameIn<Pattern extends string> = Pattern extends `${infer First}/${infer Rest}`
  ? NameIn<First> | NameIn<Rest>
  : Pattern extends `:${infer Name}`
    ? Name
    : never;

function isOfKind(segments: readonly string[], wanted: readonly string[]): boolean {
  return (
    segments.length === wanted.length &&
    wanted.every((part, at) => (isName(part) ? segments[at] !== "" : segments[at] === part))
  );
}

function isName(part: string): boolean {
  return part.startsWith(":");
}
