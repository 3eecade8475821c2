import type { ObjectStore } from "../../../core/object-store.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { LogState } from "../../operate/log-index/request-log.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import type { FoundInSource } from "../../publish/source/find-programs.ts";
import { tokenFree } from "../../shell/token-free.ts";
import { readRemovals, registryReading } from "../facts/registry.ts";
import { findInSource, type SourceSearch } from "../facts/source-questions.ts";
import {
  cleanedText,
  type ExactHit,
  type FoundAnything,
  findAnything,
  suggestion,
  unpublishedOf,
  wordsOf,
} from "../find/find-anything.ts";
import { createProgramCatalog, type ProgramCatalog } from "../find/program-catalog.ts";
import { explainPath, findPath, programPath, requestPath, requestsOf, tenantPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import { homeTrail, type Page } from "./page.ts";
import { dataTable, heading, logNotices, notice } from "./parts.ts";
import type { Answer, Inspection } from "./route.ts";
import { route } from "./route.ts";

export interface FindView {
  readonly text: string;
  readonly found: FoundAnything;
  readonly requests: number;
  readonly unpublished: readonly FoundInSource[];
  readonly source: SourceSearch;
  /** Tenants whose programs could not be read. */
  readonly unread: readonly string[];
  readonly removed: ReadonlySet<string>;
  /** What else could not be read, in words. */
  readonly faults: readonly string[];
  /** How far the log was looked through; `undefined` without a log. */
  readonly log: LogState | undefined;
  readonly suggestion: string | undefined;
  readonly reader: Reader;
}

const trail = homeTrail;

function findForm(): Page {
  const main = html`<h1>Find</h1>
<p class="lead">In the box above: a request id, the id of an access key, a program id, or words of a program’s name. All tenants are looked through.</p>`;
  return { status: 200, title: "Find", trail, main };
}

/** The page for somebody who put an access key into the box. */
function findKeyPage(): Page {
  const main = html`<h1>Find</h1>
${notice("bad", html`<p>That is an access key, or a part of one, and it is not shown here. It is in the address of this page now, and in the history of the browser: treat it as known to others.</p>`)}
<p>Look for the partner’s name, or for the id of the key, which begins with <code>tok_</code>. For operations: replace the key, once the partner can take a new one.</p>`;
  return { status: 200, title: "Find", trail, main };
}

function findPage(view: FindView): Page {
  const { text, found, requests, unpublished, source, unread, removed, faults, log, suggestion, reader } =
    view;
  const { tenantIds, tokens, programs, totalPrograms } = found;
  const total = requests + tenantIds.length + tokens.length + totalPrograms + unpublished.length;
  const seen = programs.filter(({ tenantId }) => !removed.has(tenantId));
  const unseen = programs.filter(({ tenantId }) => removed.has(tenantId));
  const main = html`<h1>Find</h1>
<p class="lead" role="status">${total === 0 ? "Nothing" : total.toLocaleString("en")} found${log !== undefined && log.progress < 1 && " so far"} for “${text}”.</p>
${suggestion !== undefined && notice("neutral", html`<p>Did you mean <a href="${findPath}?${new URLSearchParams({ q: suggestion }).toString()}"><bdi>${suggestion}</bdi></a>?</p>`)}
${source.kind === "unavailable" && notice("doubtful", html`<p>The booking database could not be asked, so programs that are not published are missing here. ${source.reason}</p>`)}
${unread.length > 0 && notice("doubtful", html`<p>Not looked through, because it could not be read: ${unread.join(", ")}.</p>`)}
${faults.map((fault) => notice("doubtful", html`<p>Not all could be read: ${fault}</p>`))}
${requests === 0 && log !== undefined && logNotices(log, reader)}
${requests > 0 && section("requests", "Requests", html`<ul><li><a href="${requestPath(text)}"><code>${text}</code></a></li></ul>`)}
${tenantIds.length > 0 && section("tenants", "Tenants", html`<ul>${tenantIds.map((id) => html`<li><a href="${tenantPath(id)}">${id}</a></li>`)}</ul>`)}
${tokens.length > 0 && section("keys", "Access keys", html`<ul>${tokens.map(tokenItem)}</ul>`)}
${seen.length > 0 && section("programs", "Programs that partners see", programTable("Programs that partners see", seen))}
${unseen.length > 0 && section("removed", "Programs of removed tenants, which partners no longer see", programTable("Programs of removed tenants", unseen))}
${totalPrograms > programs.length && html`<p>The first ${programs.length} of ${totalPrograms.toLocaleString("en")} are shown: add a word.</p>`}
${unpublished.length > 0 && section("unpublished", "Programs that partners don’t see", unpublishedTable(unpublished))}`;
  return { status: 200, title: "Find", trail, main, tables: [foundTable(view)] };
}

function foundTable({ text, found, requests, unpublished, removed }: FindView): CsvTable {
  return {
    name: "found",
    columns: ["kind", "id", "name", "tenant", "state"],
    rows: [
      ...(requests > 0 ? [["request", text, null, null, null]] : []),
      ...found.tenantIds.map((id) => ["tenant", id, null, id, removed.has(id) ? "removed" : null]),
      ...found.tokens.map((token) => ["access key", token.tokenId, token.name, token.tenantId, null]),
      ...found.programs.map(({ programId, name, tenantId }) => {
        return ["program", programId, name, tenantId, removed.has(tenantId) ? "removed" : "published"];
      }),
      ...unpublished.map(({ programId, name, tenantId, state }) => {
        return ["program", programId, name, tenantId, state];
      }),
    ],
  };
}

function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`;
}

function tokenItem({ tokenId, tenantId, name }: RegisteredToken): Html {
  return html`<li><a href="${requestsOf({ token: tokenId })}"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> of ${tenantId}</li>`;
}

function programTable(caption: string, programs: FoundAnything["programs"]): Html {
  return dataTable(
    caption,
    [heading("Program"), "Tenant", "Why"],
    programs.map(({ tenantId, programId, name }) => [
      html`<a class="row-link" href="${programPath(tenantId, programId)}"><bdi>${name}</bdi></a> <code class="id">${programId}</code>`,
      html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`,
      html`<a href="${explainPath(tenantId, programId)}">Explain<span class="hidden"> ${programId} of ${tenantId}</span></a>`,
    ]),
  );
}

function unpublishedTable(programs: readonly FoundInSource[]): Html {
  return dataTable(
    "Programs that partners don’t see",
    [heading("Program"), "Tenant", "In the booking system"],
    programs.map(({ tenantId, programId, name, state }) => [
      html`<a class="row-link" href="${explainPath(tenantId, programId)}"><bdi>${name.trim() === "" ? programId : name}</bdi></a> <code class="id">${programId}</code>`,
      html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`,
      state === "" ? html`<span class="none">no state</span>` : html`${state}`,
    ]),
  );
}

export const findRoute = route({
  pattern: "/find",
  parse: (_, query) => cleanedText(query.get("q") ?? ""),
  page,
});

/** So many requests may have ids of one digest. */
const maxTwins = 10;

async function page(text: string, { store, database, log, reader, signal }: Inspection): Promise<Answer> {
  if (text === "") return findForm();
  if (tokenFree(text) !== text) return findKeyPage();
  await log?.refresh();
  const registry = await registryReading(store);
  const [catalog, { removals, faults }, requests] = await Promise.all([
    catalogOf(store).read(store, signal),
    readRemovals(store, registry, signal),
    log?.index.find({ filter: { requestId: text }, limit: maxTwins }, signal),
  ]);
  const tokens = registry.kind === "read" ? registry.registry.tokens : [];
  const found = findAnything(text, catalog, tokens);
  const places = [
    ...found.exact.map(placeOf),
    ...((requests?.lines.length ?? 0) > 0 ? [requestPath(text)] : []),
  ];
  const [only] = places;
  if (only !== undefined && places.length === 1) return { location: only };
  const source = await findInSource(database, wordsOf(text), signal);
  const unpublished = unpublishedOf(source, catalog.entries);
  const same = unpublished.filter(({ programId }) => programId.toLowerCase() === text.toLowerCase());
  const [one] = same;
  if (one !== undefined && same.length === 1 && places.length === 0) {
    return { location: explainPath(one.tenantId, one.programId) };
  }
  const isNothing =
    places.length + found.programs.length + found.tenantIds.length + found.tokens.length === 0 &&
    unpublished.length === 0;
  return findPage({
    text,
    found,
    requests: requests?.lines.length ?? 0,
    unpublished,
    source,
    unread: catalog.unread,
    removed: new Set([...removals].flatMap(([tenantId, { openKeys }]) => (openKeys > 0 ? [] : tenantId))),
    faults:
      registry.kind === "read" ? faults : [...faults, `Access keys are missing here: ${registry.reason}`],
    log: log?.state(),
    reader: reader(),
    suggestion: isNothing ? suggestion(text, catalog, tokens) : undefined,
  });
}

function placeOf(hit: ExactHit): string {
  switch (hit.kind) {
    case "tenant":
      return tenantPath(hit.tenantId);
    case "token":
      return requestsOf({ token: hit.tokenId });
    case "program":
      return programPath(hit.tenantId, hit.programId);
  }
}

/** The catalog of the store, kept while the store is in use. */
function catalogOf(store: ObjectStore): ProgramCatalog {
  const known = catalogs.get(store);
  if (known !== undefined) return known;
  const catalog = createProgramCatalog();
  catalogs.set(store, catalog);
  return catalog;
}

const catalogs = new WeakMap<ObjectStore, ProgramCatalog>();
