import { LRUCache } from "lru-cache";
import type { RegisteredToken } from "../../../core/documents/token-registry.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { type Html, html } from "../../output/html.ts";
import { tokenFree } from "../../output/safe-output.ts";
import { numberText } from "../../output/words.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/stored-snapshot.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import { isKeptRequestId, trimmed } from "../../read/gateway-log/find-requests.ts";
import { findProgramsInSource } from "../facts/asked-database.ts";
import { orFault } from "../facts/last-builds.ts";
import { storedPrograms } from "../facts/program.ts";
import { registryReading, removalOf } from "../facts/tenants.ts";
import { programPath, requestPath, tenantPath } from "./addresses.ts";
import { type Answer, homeTrail, type Inspection } from "./page.ts";
import { badge, dataTable, logNotices, maxRows, notice, section } from "./parts.ts";

/** A program of the store, or one that only the source has, in a state of its own. */
interface FoundProgram {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  readonly state?: string;
}

/** P69: looks through all tenants, keys and programs, and through the log when nothing else has the text. */
export async function findPage(query: URLSearchParams, inspection: Inspection): Promise<Answer> {
  const { store, database, log, signal } = inspection;
  const text = trimmed((query.get("q") ?? "").slice(0, 200), around);
  if (text === "" || tokenFree(text) !== text) return findAnswer(text === "" ? whatToType : pastedKey);
  const [registry, catalog, { value: removed, faults }] = await Promise.all([
    registryReading(store),
    readCatalog(store, signal),
    orFault(new Map<TenantId, string>(), signal, () => readRemovedTenants(store, signal)),
  ]);
  const words = foldedText(text).split(/\s+/).filter(Boolean).slice(0, 10);
  const hasAll = (candidate: string): boolean => words.every((word) => candidate.includes(word));
  const isSame = (id: string): boolean => foldedText(id) === foldedText(text);
  const tenantIds = catalog.tenantIds.filter((tenantId) => hasAll(foldedText(tenantId)));
  const allTokens = registry.kind === "read" ? registry.registry.tokens : [];
  const tokens = allTokens.filter(({ tokenId, name }) => isSame(tokenId) || hasAll(foldedText(name ?? "")));
  const published = catalog.entries.filter(({ folded }) => hasAll(folded));
  const sameIds = published.filter(({ programId }) => isSame(programId));
  // When ids differ in case only, the one that equals the text is meant.
  const sameCase = sameIds.filter(({ programId }) => programId === text);
  const places = [
    ...tenantIds.filter(isSame).map(tenantPath),
    ...tokens.flatMap(({ tokenId, tenantId }) => (isSame(tokenId) ? [`${tenantPath(tenantId)}#keys`] : [])),
    ...(sameCase.length > 0 ? sameCase : sameIds).map(placeOf),
  ];
  const [only] = places;
  if (only !== undefined && places.length === 1) return { location: only };
  const isElsewhere = tenantIds.length + tokens.length + published.length > 0;
  const requests = isElsewhere || !isKeptRequestId(text) ? undefined : await log?.find(text);
  if (requests !== undefined && requests.requests.length > 0) return { location: requestPath(text) };
  // Somebody waits for the page.
  const source = await database.ask({ maxMs: 3000, signal }, async (client) => {
    return { kind: "asked", programs: await findProgramsInSource(client, words, maxRows) } as const;
  });
  const known = new Set(catalog.entries.map(placeOf));
  const inSource = source.kind === "asked" ? source.programs : [];
  const unpublished = inSource.filter((program) => !known.has(placeOf(program)));
  const same = unpublished.filter(({ programId }) => programId.toLowerCase() === text.toLowerCase());
  const [one] = same;
  if (one !== undefined && same.length === 1 && places.length === 0) return { location: placeOf(one) };
  const others = published.filter((entry) => !sameIds.includes(entry));
  const isGone = (tenantId: string): boolean => removalOf(tenantId, removed, allTokens)?.openKeys === 0;
  const away =
    source.kind === "unavailable" &&
    `The booking database could not be asked, so programs that are not published are missing here. ${source.reason}`;
  const unlisted =
    catalog.unread.length > 0 &&
    `Not looked through, because it could not be read: ${catalog.unread.join(", ")}.`;
  const keys = registry.kind === "unavailable" && `Access keys are missing here: ${registry.reason}`;
  const unread = [...faults, keys].map((fault) => fault && `Some data could not be read: ${fault}`);
  return foundAnswer({
    ...{ text, tenantIds, tokens, published: [...sameIds, ...others], unpublished, requests, isGone },
    gaps: [away, unlisted, ...unread].filter((gap) => gap !== false),
  });
}

interface Found {
  readonly text: string;
  readonly tenantIds: readonly string[];
  readonly tokens: readonly RegisteredToken[];
  readonly published: readonly FoundProgram[];
  readonly unpublished: readonly FoundProgram[];
  /** What the log has, where it was looked into. */
  readonly requests: Parameters<typeof logNotices>[0] | undefined;
  /** Whether the tenant was removed, so that its partners see nothing any more. */
  readonly isGone: (tenantId: string) => boolean;
  /** What could not be looked through, in sentences. */
  readonly gaps: readonly string[];
}

function foundAnswer(found: Found): Answer {
  const { text, tenantIds, tokens, published, unpublished, requests, gaps } = found;
  const total = tenantIds.length + tokens.length + published.length + unpublished.length;
  const shown = published.slice(0, maxRows);
  return findAnswer(html`<p class="lead" role="status">${total === 0 ? "Nothing" : numberText(total)} found for “${text}”.</p>
${gaps.map((gap) => notice("doubtful", html`<p>${gap}</p>`))}
${requests !== undefined && logNotices(requests)}
${tenantIds.length > 0 && section("tenants", "Tenants", html`<ul>${tenantIds.slice(0, maxRows).map((id) => html`<li><a href="${tenantPath(id)}">${id}</a></li>`)}</ul>`)}
${tokens.length > 0 && section("keys", "Access keys", html`<ul>${tokens.slice(0, maxRows).map(tokenItem)}</ul>`)}
${shown.length + unpublished.length > 0 && section("programs", "Programs", programTable([...shown, ...unpublished], found))}
${published.length > shown.length && html`<p>The first ${shown.length} of ${numberText(published.length)} are shown: add a word.</p>`}`);
}

function programTable(programs: readonly FoundProgram[], { isGone }: Found): Html {
  return dataTable("Programs", programs, {
    Program: (program) =>
      html`<a class="row-link" href="${placeOf(program)}"><bdi>${program.name.trim() || program.programId}</bdi></a> <code class="id">${program.programId}</code>`,
    Tenant: ({ tenantId }) => html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`,
    "Partners see it": ({ tenantId, state }) => {
      if (state !== undefined) return html`${badge("no", "bad")} ${state}`;
      return isGone(tenantId) ? html`${badge("no", "bad")} removed tenant` : badge("yes", "good");
    },
  });
}

function findAnswer(content: Html): Answer {
  return { status: 200, title: "Find", trail: homeTrail, main: html`<h1>Find</h1>\n${content}` };
}

const whatToType = html`<p class="lead">In the box above: a tenant, a program’s id or words of its name, a request id, or the id or name of an access key. All tenants are looked through.</p>`;

const pastedKey = html`${notice("bad", html`<p>That is an access key, or a part of one, and it is not shown here. It is in the address of this page now, and in the history of the browser: treat it as known to others.</p>`)}
<p>Look for the partner’s name, or for the id of the key, which begins with <code>tok_</code>. For operations: replace the key, once the partner can take a new one.</p>`;

function placeOf({ tenantId, programId }: FoundProgram): string {
  return programPath(tenantId, programId);
}

function tokenItem({ tokenId, tenantId, name }: RegisteredToken): Html {
  return html`<li><a href="${tenantPath(tenantId)}#keys"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> of ${tenantId}</li>`;
}

/** White space, quotes and full stops, which people copy along with an id. */
const around = /[ \t\r\n\u00a0"'“”‘’«»`<>().,;]/;

/** The text for comparisons, without differences of case, accents and width. */
function foldedText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();
}

interface CatalogEntry extends FoundProgram {
  /** Id and name in the form of `foldedText`. */
  readonly folded: string;
}

/** Each tenant's list for as long as its snapshot is live. 200,000 programs are about 60 MB. */
const limits = { maxSize: 200_000, sizeCalculation: (entries: readonly unknown[]) => entries.length + 1 };
const lists = new LRUCache<string, readonly CatalogEntry[]>(limits);

/** Reads the lists that were published since the last call. `unread`: tenants that could not be read. */
async function readCatalog(store: ObjectStore, signal: AbortSignal) {
  const tenantIds: TenantId[] = [];
  for await (const tenantId of storedTenants(store, signal)) tenantIds.push(tenantId);
  const entries: CatalogEntry[] = [];
  const unread: string[] = [];
  await forEachBounded(tenantIds, 8, async (tenantId) => {
    const found = await entriesOf(store, tenantId, signal).catch(asFailure);
    signal.throwIfAborted();
    if (found instanceof Error) unread.push(tenantId);
    else for (const entry of found) entries.push(entry);
  });
  return { tenantIds, entries, unread };
}

async function entriesOf(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<readonly CatalogEntry[]> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) return [];
  const key = `${tenantId} ${pointer.current.manifestSha256}`;
  const known = lists.get(key);
  if (known !== undefined) return known;
  const manifest = await readLiveManifest(store, pointer.current, signal);
  const programs = await storedPrograms(store, manifest, signal);
  const entries = programs.map(({ id, name }) => {
    return { tenantId, programId: id, name, folded: foldedText(`${id} ${name}`) };
  });
  lists.set(key, entries);
  return entries;
}
