import type { ObjectStore } from "../../../../core/object-store.ts";
import { tokenFree } from "../../../shell/token-free.ts";
import {
  cleanedText,
  type ExactHit,
  findAnything,
  suggestion,
  unpublishedOf,
  wordsOf,
} from "../../find/find-anything.ts";
import { findInSource } from "../../find/find-in-source.ts";
import { createProgramCatalog, type ProgramCatalog } from "../../find/program-catalog.ts";
import { readRemoved } from "../../read-removed.ts";
import { registryReading } from "../../request/token-finding.ts";
import { explainPath, programPath, requestPath, requestsOf, tenantPath } from "../addresses.ts";
import type { Answer } from "../answer.ts";
import { findForm, findKeyPage, findPage } from "../find-page.ts";
import type { Inspection } from "../inspection.ts";
import { route } from "../route.ts";

export const findRoute = route({
  pattern: "/find",
  parse: (_, query) => cleanedText(query.get("q") ?? ""),
  page,
});

/** Requests whose ids have one digest, of which one may be meant. */
const maxTwins = 10;

async function page(text: string, { store, database, log, now, signal }: Inspection): Promise<Answer> {
  if (text === "") return findForm();
  if (tokenFree(text) !== text) return findKeyPage();
  await log?.refresh();
  const [catalog, registry, { removed, faults }, requests] = await Promise.all([
    catalogOf(store).read(store, signal),
    registryReading(store),
    readRemoved(store, signal),
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
    removed: new Set(
      [...removed].flatMap(([tenantId, { removedAt }]) => (removedAt === null ? [] : tenantId)),
    ),
    faults:
      registry.kind === "read" ? faults : [...faults, `Access keys are missing here: ${registry.reason}`],
    log: log?.state(),
    now: now(),
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

/** One for each store that is looked at, for as long as it is. */
function catalogOf(store: ObjectStore): ProgramCatalog {
  const known = catalogs.get(store);
  if (known !== undefined) return known;
  const catalog = createProgramCatalog();
  catalogs.set(store, catalog);
  return catalog;
}

const catalogs = new WeakMap<ObjectStore, ProgramCatalog>();
