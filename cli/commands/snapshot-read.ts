import { Failure } from "../../core/ground/failure.ts";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import { layoutOf } from "../output/layout.ts";
import { readPublishedPointer, responseBytes } from "../publish/snapshot/stored-snapshot.ts";
import { unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import { whereNothingIs } from "../read/administration/known-tenant.ts";
import { chosenSnapshot, programEntry } from "../read/snapshots/chosen-snapshot.ts";
import { exportedText, exportSnapshot } from "../read/snapshots/export-snapshot.ts";
import { compareSnapshots, diffText, snapshotBefore } from "../read/snapshots/snapshot-diff.ts";
import { snapshotFacts, snapshotListText } from "../read/snapshots/snapshot-texts.ts";
import { readTenantSnapshots } from "../read/snapshots/tenant-snapshots.ts";
import { verificationText, verifyTenants } from "../read/snapshots/verify-tenant.ts";
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
