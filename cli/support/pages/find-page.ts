import type { RegisteredToken } from "../../../core/token-registry.ts";
import { numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { FoundInSource } from "../../publish/source/find-programs.ts";
import { tokenFree } from "../../shell/token-free.ts";
import { readRemovals, registryReading } from "../facts/registry.ts";
import { findInSource } from "../facts/source-questions.ts";
import { cleanedText, findAnything, suggestion, unpublishedOf, wordsOf } from "../find/find-anything.ts";
import { type CatalogEntry, readCatalog } from "../find/program-catalog.ts";
import { explainPath, findPath, programPath, requestPath, requestsOf, tenantPath } from "./addresses.ts";
import { homeTrail } from "./page.ts";
import { dataTable, heading, logNotices, notice } from "./parts.ts";
import { route } from "./route.ts";

/** The index finds requests by a digest of their id, which other ids may share. At most this many requests are read. */
const maxRequests = 10;

export const findRoute = route("/find", async ({ query }, { store, database, log, reader, signal }) => {
  const text = cleanedText(query.get("q") ?? "");
  if (text === "" || tokenFree(text) !== text) {
    const main = html`<h1>Find</h1>\n${text === "" ? findForm : pastedKey}`;
    return { status: 200, title: "Find", trail: homeTrail, main };
  }
  await log?.refresh();
  const registry = await registryReading(store);
  const [known, { value: removals, faults }, requests] = await Promise.all([
    readCatalog(store, signal),
    readRemovals(store, registry, signal),
    log?.index.find({ filter: { requestId: text }, limit: maxRequests }, signal),
  ]);
  const allTokens = registry.kind === "read" ? registry.registry.tokens : [];
  const found = findAnything(text, known, allTokens);
  const { tenantIds, tokens, programs, totalPrograms, exact } = found;
  const requestCount = requests?.lines.length ?? 0;
  const places = [
    ...exact.tenantIds.map(tenantPath),
    ...exact.tokenIds.map((token) => requestsOf({ token })),
    ...exact.programs.map(({ tenantId, programId }) => programPath(tenantId, programId)),
    ...(requestCount > 0 ? [requestPath(text)] : []),
  ];
  const [only] = places;
  if (only !== undefined && places.length === 1) return { location: only };
  const source = await findInSource(database, wordsOf(text), signal);
  const unpublished = unpublishedOf(source, known.entries);
  const same = unpublished.filter(({ programId }) => programId.toLowerCase() === text.toLowerCase());
  const [one] = same;
  if (one !== undefined && same.length === 1 && places.length === 0) {
    return { location: explainPath(one.tenantId, one.programId) };
  }
  const total = requestCount + tenantIds.length + tokens.length + totalPrograms + unpublished.length;
  const meant = total === 0 && places.length === 0 ? suggestion(text, known, allTokens) : undefined;
  // Partners of removed tenants see nothing any more.
  const removed = new Set([...removals].flatMap(([id, { openKeys }]) => (openKeys > 0 ? [] : id)));
  const seen = programs.filter(({ tenantId }) => !removed.has(tenantId));
  const unseen = programs.filter(({ tenantId }) => removed.has(tenantId));
  const unread = registry.kind === "read" ? [] : [`Access keys are missing here: ${registry.reason}`];
  const main = html`<h1>Find</h1>
<p class="lead" role="status">${total === 0 ? "Nothing" : numberText(total)} found${log !== undefined && log.state().progress < 1 && " so far"} for “${text}”.</p>
${meant !== undefined && notice("neutral", html`<p>Did you mean <a href="${findPath}?${new URLSearchParams({ q: meant }).toString()}"><bdi>${meant}</bdi></a>?</p>`)}
${source.kind === "unavailable" && notice("doubtful", html`<p>The booking database could not be asked, so programs that are not published are missing here. ${source.reason}</p>`)}
${known.unread.length > 0 && notice("doubtful", html`<p>Not looked through, because it could not be read: ${known.unread.join(", ")}.</p>`)}
${[...faults, ...unread].map((fault) => notice("doubtful", html`<p>Some data could not be read: ${fault}</p>`))}
${requestCount === 0 && log !== undefined && logNotices(log.state(), reader())}
${requestCount > 0 && section("requests", "Requests", html`<ul><li><a href="${requestPath(text)}"><code>${text}</code></a></li></ul>`)}
${tenantIds.length > 0 && section("tenants", "Tenants", html`<ul>${tenantIds.map((id) => html`<li><a href="${tenantPath(id)}">${id}</a></li>`)}</ul>`)}
${tokens.length > 0 && section("keys", "Access keys", html`<ul>${tokens.map(tokenItem)}</ul>`)}
${seen.length > 0 && section("programs", "Programs that partners see", programTable("Programs that partners see", seen))}
${unseen.length > 0 && section("removed", "Programs of removed tenants, which partners no longer see", programTable("Programs of removed tenants", unseen))}
${totalPrograms > programs.length && html`<p>The first ${programs.length} of ${numberText(totalPrograms)} are shown: add a word.</p>`}
${unpublished.length > 0 && section("unpublished", "Programs that partners don’t see", unpublishedTable(unpublished))}`;
  const rows = [
    ...(requestCount > 0 ? [["request", text, null, null, null]] : []),
    ...tenantIds.map((id) => ["tenant", id, null, id, removed.has(id) ? "removed" : null]),
    ...tokens.map((token) => ["access key", token.tokenId, token.name, token.tenantId, null]),
    ...programs.map(({ programId, name, tenantId }) => {
      return ["program", programId, name, tenantId, removed.has(tenantId) ? "removed" : "published"];
    }),
    ...unpublished.map((program) => [
      "program",
      program.programId,
      program.name,
      program.tenantId,
      program.state,
    ]),
  ];
  const tables = [{ name: "found", columns: ["kind", "id", "name", "tenant", "state"], rows }];
  return { status: 200, title: "Find", trail: homeTrail, main, tables };
});

const findForm = html`<p class="lead">In the box above: a request id, the id of an access key, a program id, or words of a program’s name. All tenants are looked through.</p>`;

const pastedKey = html`${notice("bad", html`<p>That is an access key, or a part of one, and it is not shown here. It is in the address of this page now, and in the history of the browser: treat it as known to others.</p>`)}
<p>Look for the partner’s name, or for the id of the key, which begins with <code>tok_</code>. For operations: replace the key, once the partner can take a new one.</p>`;

function section(id: string, heading: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`;
}

function tokenItem({ tokenId, tenantId, name }: RegisteredToken): Html {
  return html`<li><a href="${requestsOf({ token: tokenId })}"><bdi>${name ?? tokenId}</bdi></a> <code class="id">${tokenId}</code> of ${tenantId}</li>`;
}

function programTable(caption: string, programs: readonly CatalogEntry[]): Html {
  return dataTable(caption, programs, {
    Program: heading(
      ({ tenantId, programId, name }) =>
        html`<a class="row-link" href="${programPath(tenantId, programId)}"><bdi>${name}</bdi></a> <code class="id">${programId}</code>`,
    ),
    Tenant: tenantLink,
    Why: ({ tenantId, programId }) =>
      html`<a href="${explainPath(tenantId, programId)}">Explain<span class="hidden"> ${programId} of ${tenantId}</span></a>`,
  });
}

function unpublishedTable(programs: readonly FoundInSource[]): Html {
  return dataTable("Programs that partners don’t see", programs, {
    Program: heading(
      ({ tenantId, programId, name }) =>
        html`<a class="row-link" href="${explainPath(tenantId, programId)}"><bdi>${name.trim() === "" ? programId : name}</bdi></a> <code class="id">${programId}</code>`,
    ),
    Tenant: tenantLink,
    "In the booking system": ({ state }) => (state === "" ? html`<span class="none">no state</span>` : state),
  });
}

function tenantLink({ tenantId }: { readonly tenantId: string }): Html {
  return html`<a href="${tenantPath(tenantId)}">${tenantId}</a>`;
}
