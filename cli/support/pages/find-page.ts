import type { RegisteredToken } from "../../../core/token-registry.ts";
import { isKeptRequestId } from "../../operate/gateway-log/typed-request-id.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { FoundInSource } from "../../publish/source/find-programs.ts";
import { tokenFree } from "../../shell/token-free.ts";
import { readRemovals, registryReading } from "../facts/registry.ts";
import { findInSource } from "../facts/source-questions.ts";
import { findFor, programPath, requestPath, tenantPath } from "./addresses.ts";
import {
  type CatalogEntry,
  cleanedText,
  findAnything,
  readCatalog,
  suggestion,
  unpublishedOf,
  wordsOf,
} from "./find-anything.ts";
import { homeTrail } from "./page.ts";
import { dataTable, heading, logNotices, notice, section } from "./parts.ts";
import { type Inspection, route } from "./route.ts";

/** Looks through all tenants, keys and programs, and through the log when nothing else has the text. */
export const findRoute = route("/find", async (_, query, inspection) => {
  const { store, database, signal } = inspection;
  const text = cleanedText(query.get("q") ?? "");
  if (text === "" || tokenFree(text) !== text) {
    const main = html`<h1>Find</h1>\n${text === "" ? whatToType : pastedKey}`;
    return { status: 200, title: "Find", trail: homeTrail, main };
  }
  const registry = await registryReading(store);
  const [known, { value: removals, faults }] = await Promise.all([
    readCatalog(store, signal),
    readRemovals(store, registry, signal),
  ]);
  const allTokens = registry.kind === "read" ? registry.registry.tokens : [];
  const { tenantIds, tokens, programs, totalPrograms, exact } = findAnything(text, known, allTokens);
  const tenantOf = new Map<string, string>(allTokens.map(({ tokenId, tenantId }) => [tokenId, tenantId]));
  const places = [
    ...exact.tenantIds.map(tenantPath),
    ...exact.tokenIds.map((tokenId) => keyPath(tenantOf.get(tokenId) ?? "")),
    ...exact.programs.map(({ tenantId, programId }) => programPath(tenantId, programId)),
  ];
  const [only] = places;
  if (only !== undefined && places.length === 1) return { location: only };
  const isElsewhere = tenantIds.length + tokens.length + totalPrograms > 0;
  const requests = isElsewhere ? noRequests : await requestsOf(text, inspection);
  if (requests.isFound) return { location: requestPath(text) };
  const source = await findInSource(database, wordsOf(text), signal);
  const unpublished = unpublishedOf(source, known.entries);
  const same = unpublished.filter(({ programId }) => programId.toLowerCase() === text.toLowerCase());
  const [one] = same;
  if (one !== undefined && same.length === 1 && places.length === 0) {
    return { location: programPath(one.tenantId, one.programId) };
  }
  const total = tenantIds.length + tokens.length + totalPrograms + unpublished.length;
  const meant = total === 0 && places.length === 0 ? suggestion(text, known, allTokens) : undefined;
  // Partners of removed tenants see nothing any more.
  const removed = new Set([...removals].flatMap(([id, { openKeys }]) => (openKeys > 0 ? [] : id)));
  const seen = programs.filter(({ tenantId }) => !removed.has(tenantId));
  const unseen = programs.filter(({ tenantId }) => removed.has(tenantId));
  const unread = registry.kind === "read" ? [] : [`Access keys are missing here: ${registry.reason}`];
  const main = html`<h1>Find</h1>
<p class="lead" role="status">${total === 0 ? "Nothing" : numberText(total)} found for “${text}”.</p>
${meant !== undefined && notice("neutral", html`<p>Did you mean <a href="${findFor(meant)}"><bdi>${meant}</bdi></a>?</p>`)}
${source.kind === "unavailable" && notice("doubtful", html`<p>The booking database could not be asked, so programs that are not published are missing here. ${source.reason}</p>`)}
${known.unread.length > 0 && notice("doubtful", html`<p>Not looked through, because it could not be read: ${known.unread.join(", ")}.</p>`)}
${[...faults, ...unread].map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${logNotices(requests)}
${tenantIds.length > 0 && section("tenants", "Tenants", html`<ul>${tenantIds.map((id) => html`<li><a href="${tenantPath(id)}">${id}</a></li>`)}</ul>`)}
${tokens.length > 0 && section("keys", "Access keys", html`<ul>${tokens.map(tokenItem)}</ul>`)}
${programsSection("programs", "Programs that partners see", seen)}
${programsSection("removed", "Programs of removed tenants, which partners no longer see", unseen)}
${totalPrograms > programs.length && html`<p>The first ${programs.length} of ${numberText(totalPrograms)} are shown: add a word.</p>`}
${programsSection("unpublished", "Programs that partners don’t see", unpublished)}`;
  return { status: 200, title: "Find", trail: homeTrail, main };
});

const noRequests = { isFound: false, faults: [] };

/** Whether the log has a request with this id, and what of the log could not be read. */
async function requestsOf(
  text: string,
  { log }: Inspection,
): Promise<{ readonly isFound: boolean; readonly faults: readonly string[] }> {
  if (log === undefined || !isKeptRequestId(text)) return noRequests;
  const { requests, faults } = await log.find(text);
  return { isFound: requests.length > 0, faults };
}

function keyPath(tenantId: string): string {
  return `${tenantPath(tenantId)}#keys`;
}

const whatToType = html`<p class="lead">In the box above: a tenant, a program’s id or words of its name, a request id, or the id or name of an access key. All tenants are looked through.</p>`;

const pastedKey = html`${notice("bad", html`<p>That is an access key, or a part of one, and it is not shown here. It is in the address of this page now, and in the history of the browser: treat it as known to others.</p>`)}
<p>Look for the partner’s name, or for the id of the key, which begins with <code>tok_</code>. For operations: replace the key, once the partner can take a new one.</p>`;

function tokenItem({ tokenId, tenantId, name }: RegisteredToken): Html {
  return html`<li><a href="${keyPath(tenantId)}"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> of ${tenantId}</li>`;
}

function programsSection(
  id: string,
  title: string,
  programs: readonly (CatalogEntry | FoundInSource)[],
): Html | false {
  if (programs.length === 0) return false;
  const table = dataTable(title, programs, {
    Program: heading(
      ({ tenantId, programId, name }) =>
        html`<a class="row-link" href="${programPath(tenantId, programId)}"><bdi>${name.trim() === "" ? programId : name}</bdi></a> <code class="id">${programId}</code>`,
    ),
    Tenant: ({ tenantId }) => html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`,
    ...(id === "unpublished" && { "In the source": (program) => ("state" in program ? program.state : "") }),
  });
  return section(id, title, table);
}
