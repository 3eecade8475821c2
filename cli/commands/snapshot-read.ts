import type { Current } from "../../core/current.ts";
import { Failure } from "../../core/failure.ts";
import {
  type ProgramId,
  parseProgramId,
  parseSnapshotId,
  parseTenantId,
  type SnapshotId,
  type TenantId,
} from "../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../core/manifest.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { printable } from "../../core/printable.ts";
import { exportedText, exportSnapshot } from "../operate/snapshots/export-snapshot.ts";
import { readStoredManifest } from "../operate/snapshots/manifest-head.ts";
import { compareSnapshots, diffText, snapshotBefore } from "../operate/snapshots/snapshot-diff.ts";
import { type PublishedSnapshot, readTenantSnapshots } from "../operate/snapshots/tenant-snapshots.ts";
import { verificationText, verifyTenants } from "../operate/snapshots/verify-tenant.ts";
import { whereNothingIs } from "../operate/tenants/known-tenant.ts";
import { type Labelled, type Layout, labelledLines, layoutOf, numbers, table } from "../output/layout.ts";
import { didYouMean, exactTime, numberText, relativeAndExact, shortAge } from "../output/words.ts";
import {
  readLiveManifest,
  readPublishedPointer,
  responseBytes,
} from "../publish/snapshot/stored-snapshot.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import { printJson, printResult } from "../shell/shell.ts";
import { asText, flag, json, optionalArgument, required, storeCommand, value } from "./command.ts";
import { wholeNumber } from "./option-values.ts";

const tenant = required("<id>", "the tenant", parseTenantId);
const snapshot = value("<id>", "this snapshot instead of the live one", parseSnapshotId);

/** `snapshot list`: the snapshot that partners see, and the earlier ones that are kept. */
export const snapshotList = storeCommand({ tenant, json }, async (shell, { tenant, json }, store) => {
  const pointer = await readPublishedPointer(store, tenant, shell.signal);
  const { published, damaged } = await readTenantSnapshots(store, pointer, shell.signal);
  if (json) {
    const { snapshotId, generation, hold } = pointer.current;
    const faults = damaged.map(({ snapshotId, failure: { message } }) => ({ snapshotId, message }));
    const head = { tenantId: tenant, snapshotId, generation, hold };
    return printJson(shell, { ...head, snapshots: published, damaged: faults });
  }
  shell.stdout.write(snapshotListText(pointer.current, published, layoutOf(shell)));
  for (const { failure } of damaged) shell.stderr.write(`damaged: ${failure.message}\n`);
});

/** `snapshot show`: a response as partners get it, or a summary of a snapshot. */
export const snapshotShow = storeCommand(
  {
    tenant,
    program: {
      ...value("<id>", "the answer of /v1/programs/{id}", parseProgramId),
      excluded: ["list", "legacy"],
    },
    list: { ...flag("the answer of /v1/programs"), excluded: ["legacy"] },
    legacy: flag("the answer of /api/v1/partner/programs"),
    snapshot,
    raw: flag("the exact stored bytes instead of indented JSON"),
    json: flag("print the summary as an object for programs (see docs/json.md)"),
  },
  async (shell, { tenant, program, list, legacy, snapshot, raw, json }, store) => {
    const { manifest, isLive } = await chosenSnapshot(store, tenant, snapshot, shell.signal);
    const whole = list ? manifest.list : legacy ? manifest.legacy : undefined;
    const entry = program === undefined ? whole : programEntry(manifest, program);
    if (entry !== undefined) {
      const bytes = await responseBytes(store, entry, shell.signal);
      return raw ? shell.stdout.write(bytes) : printJson(shell, JSON.parse(bytes.toString("utf8")));
    }
    if (raw) throw new Failure("usage", "--raw needs one of --program, --list and --legacy.");
    const { tenantId, snapshotId, generation, parent, generatedAt } = manifest;
    const head = { tenantId, snapshotId, isLive, generation, parent, generatedAt };
    const counts = { programs: manifest.programs.count };
    const found = { ...head, counts, list: manifest.list, legacy: manifest.legacy };
    printResult(shell, json, found, snapshotFacts(manifest, isLive, layoutOf(shell)));
  },
);

function programEntry(manifest: Manifest, programId: ProgramId): ResponseEntry {
  const entry = detailEntry(manifest, programId);
  if (entry !== undefined) return entry;
  const { tenantId, snapshotId } = manifest;
  throw new Failure(
    "not_found",
    `Snapshot ${snapshotId} of tenant ${tenantId} has no program ${programId}: partners get 404. ` +
      `Ask why: \`snapshot explain --tenant ${tenantId} --program ${programId}\`.` +
      didYouMean(programId, manifest.programs.ids()),
  );
}

/** `snapshot export`: a snapshot as plain files, for any web server or archive. */
export const snapshotExport = storeCommand(
  { tenant, out: required("<dir>", "the folder to write: a new or an empty one", asText), snapshot, json },
  async (shell, { tenant, out, snapshot, json }, store) => {
    const { manifest } = await chosenSnapshot(store, tenant, snapshot, shell.signal);
    const { snapshotId } = manifest;
    const exported = await exportSnapshot(store, manifest, out, shell.signal);
    const text = exportedText(`Snapshot ${snapshotId} of tenant ${tenant}`, exported);
    printResult(shell, json, { tenantId: tenant, snapshotId, ...exported }, text);
  },
);

/** `snapshot verify`: whether every object that partners can get is intact. */
export const snapshotVerify = storeCommand(
  { tenant: value("<id>", "only this tenant", parseTenantId), json },
  async (shell, { tenant, json }, store) => {
    const { signal } = shell;
    const results = await verifyTenants(store, tenant, signal);
    const isEmpty = results.every(({ outcome }) => outcome === "unpublished");
    const nothing = isEmpty ? await whereNothingIs(store, shell) : "";
    if (isEmpty && tenant !== undefined) {
      const what = `Nothing is published for tenant ${tenant}, so there is nothing to verify. Check the id. ${nothing}`;
      throw await unknownTenant(store, tenant, what, signal);
    }
    const isClean = results.every(({ outcome }) => outcome !== "findings");
    if (json) printJson(shell, { outcome: isClean ? "clean" : "findings", tenants: results });
    else if (results.length > 0) shell.stdout.write(verificationText(results));
    else shell.stdout.write(`Nothing was published yet: there is nothing to verify. ${printable(nothing)}\n`);
    return isClean ? 0 : 1;
  },
);

/** `snapshot diff`: what partners see differently in two snapshots. */
export const snapshotDiff = storeCommand(
  {
    from: optionalArgument("the older snapshot (default: the one before TO)", parseSnapshotId),
    to: optionalArgument("the newer snapshot (default: the live one)", parseSnapshotId),
    tenant,
    limit: value(
      "<n>",
      "programs compared field by field (default: 50; with --json all)",
      wholeNumber(0, 999_999_999),
    ),
    json,
  },
  async (shell, { from, to, tenant, limit, json }, store) => {
    const { signal } = shell;
    const maxDetails = limit ?? (json ? Number.POSITIVE_INFINITY : 50);
    const { manifest: young, live } = await chosenSnapshot(store, tenant, to, signal);
    const old =
      from === undefined
        ? await snapshotBefore(store, young, live, signal)
        : (await chosenSnapshot(store, tenant, from, signal)).manifest;
    const diff = await compareSnapshots(store, old, young, maxDetails, signal);
    // A text of all differences, which JSON has by default, takes time.
    if (json) printJson(shell, { tenantId: tenant, ...diff });
    else shell.stdout.write(diffText(diff, layoutOf(shell)));
  },
);

/** The snapshot of that id, or the live one, which comes with it; throws `not_found`. */
async function chosenSnapshot(
  store: ObjectStore,
  tenantId: TenantId,
  chosen: SnapshotId | undefined,
  signal: AbortSignal,
) {
  const pointer = await readPublishedPointer(store, tenantId, signal);
  const live = { pointer, manifest: await readLiveManifest(store, pointer.current, signal) };
  if (chosen === undefined || chosen === pointer.current.snapshotId) {
    return { manifest: live.manifest, isLive: true, live };
  }
  const stored = await readStoredManifest(store, tenantId, chosen, signal);
  if (stored !== undefined) return { manifest: stored.manifest, isLive: false, live };
  throw new Failure(
    "not_found",
    `Tenant ${tenantId} has no snapshot ${chosen}; it may have been pruned. \`snapshot list --tenant ${tenantId}\` shows what is there.`,
  );
}

/** Programs named in the summary of a snapshot; `--list` shows them all. */
const maxShownPrograms = 20;

/** What a snapshot consists of. */
export function snapshotFacts(manifest: Manifest, isLive: boolean, layout: Layout): string {
  const { style, width } = layout;
  const { tenantId, snapshotId, generation, parent, generatedAt, contentAt, list, legacy, programs } =
    manifest;
  const head = labelledLines(
    [
      ["snapshot", `${snapshotId}, generation ${generation}, ${isLive ? style.good("live") : "not live"}`],
      ["data of", relativeAndExact(contentAt ?? generatedAt, layout)],
      ...(contentAt === undefined
        ? []
        : [["withdrawals", relativeAndExact(generatedAt, layout)] satisfies Labelled]),
      ["built on", parent ?? "nothing: the tenant's first snapshot"],
      ["programs", numberText(programs.count)],
      ["list", `${bytes(list.size)}, sha256 ${list.sha256.slice(0, 12)}`],
      ["legacy", `${bytes(legacy.size)}, sha256 ${legacy.sha256.slice(0, 12)}`],
    ],
    width,
  );
  const ids = [...programs.ids()];
  const rows = ids.slice(0, maxShownPrograms).map((id) => {
    const entry = detailEntry(manifest, id);
    return [id, bytes(entry?.size ?? 0), programs.get(id)?.snapshotId ?? "-"];
  });
  const rest = ids.length - rows.length;
  return [
    `${style.bold(tenantId)}\n${head}`,
    rows.length === 0 ? "" : `\n${table(["PROGRAM", numbers("SIZE"), "WRITTEN BY"], rows)}`,
    rest > 0 ? `... and ${numberText(rest)} more (--list shows all)\n` : "",
  ].join("");
}

function bytes(count: number): string {
  if (count < 10_000) return `${numberText(count)} B`;
  return count < 10_000_000 ? `${Math.round(count / 1000)} kB` : `${Math.round(count / 1_000_000)} MB`;
}

/** The snapshots of a tenant, one line each, and why it is on hold if it is. */
export function snapshotListText(
  current: Current,
  published: readonly PublishedSnapshot[],
  layout: Layout,
): string {
  const { style, zone, now } = layout;
  const { hold, tenantId } = current;
  const stateOf = ({ isLive, isCondemned, withdrawnAt }: PublishedSnapshot): string => {
    if (isLive) return style.good(hold === null ? "live" : "live, held");
    if (isCondemned) return style.faint("being deleted");
    return withdrawnAt === null ? "replaced" : style.doubtful("withdrawn");
  };
  const counts = ["GENERATION", "PROGRAMS"].map(numbers);
  const lines = table(
    ["SNAPSHOT", "STATE", ...counts, "SOURCE READ", numbers("AGE"), "BUILT ON"],
    published.map((snapshot) => [
      snapshot.snapshotId,
      stateOf(snapshot),
      String(snapshot.generation),
      numberText(snapshot.programs),
      exactTime(snapshot.generatedAt, zone),
      shortAge(new Date(snapshot.generatedAt), now),
      snapshot.parent ?? "-",
    ]),
  );
  if (hold === null) return lines;
  const since = `On hold since ${exactTime(hold.since, zone)}: ${printable(hold.reason)}.`;
  return `${lines}\n${since} No build replaces the live snapshot until \`snapshot release --tenant ${tenantId}\`.\n`;
}
