import { Command, Option } from "commander";
import type { Confirmations } from "../../core/confirmations.ts";
import { Failure } from "../../core/failure.ts";
import { type ProgramId, parseProgramId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../core/manifest.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { printable, printableJson } from "../../core/printable.ts";
import { exportSnapshot } from "../operate/snapshots/export-snapshot.ts";
import { snapshotFacts, snapshotListText } from "../operate/snapshots/snapshot-text.ts";
import { readTenantSnapshots } from "../operate/snapshots/tenant-snapshots.ts";
import type { TenantVerification } from "../operate/snapshots/verification.ts";
import { verificationText } from "../operate/snapshots/verification-text.ts";
import { readConfirmed, verifyTenant } from "../operate/snapshots/verify-tenant.ts";
import { numberText } from "../output/counted.ts";
import { layoutOf } from "../output/layout.ts";
import { readPublishedPointer } from "../publish/snapshot/live-snapshot.ts";
import { responseBytes } from "../publish/snapshot/stored-response.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import { storedTenants, unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { didYouMean } from "../shell/nearest-name.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { whereNothingIs } from "../support/facts/where-nothing-is.ts";
import { asSnapshotId, asTenantId, parsedOption } from "./option-values.ts";

interface TenantFlags {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `snapshot list`: the snapshot that partners see, and the earlier ones that are kept. */
export function snapshotList(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, list));
}

async function list(shell: Shell, { tenant, json }: TenantFlags & { tenant: TenantId }): Promise<ExitStatus> {
  const { signal } = shell;
  const [pointer, snapshots] = await withStore(settingsOf(shell), async (store) => {
    const read = await readPublishedPointer(store, tenant, signal);
    return [read, await readTenantSnapshots(store, read, signal)] as const;
  });
  const { current } = pointer;
  if (json) {
    printJson(shell, {
      tenantId: tenant,
      snapshotId: current.snapshotId,
      generation: current.generation,
      hold: current.hold,
      snapshots: snapshots.published,
      damaged: snapshots.damaged.map(({ snapshotId, failure }) => ({ snapshotId, message: failure.message })),
    });
    return 0;
  }
  shell.stdout.write(snapshotListText(current, snapshots, layoutOf(shell)));
  for (const { failure } of snapshots.damaged) shell.stderr.write(`damaged: ${failure.message}\n`);
  return 0;
}

interface ShowFlags {
  readonly tenant: TenantId;
  readonly program?: ProgramId;
  readonly list: boolean;
  readonly legacy: boolean;
  readonly snapshot?: SnapshotId;
  readonly raw: boolean;
  readonly json: boolean;
}

/** `snapshot show`: a response as partners get it, or a summary of a snapshot. */
export function snapshotShow(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .addOption(
      new Option("--program <id>", "the answer of /v1/programs/{id}")
        .argParser(parsedOption(parseProgramId))
        .conflicts(["list", "legacy"]),
    )
    .addOption(new Option("--list", "the answer of /v1/programs").default(false).conflicts("legacy"))
    .option("--legacy", "the answer of /api/v1/partner/programs", false)
    .option("--snapshot <id>", "this snapshot instead of the live one", asSnapshotId)
    .option("--raw", "the exact stored bytes instead of indented JSON", false)
    .option("--json", "print the summary as an object for programs (see docs/json.md)", false)
    .action(action(shell, show));
}

async function show(shell: Shell, flags: ShowFlags): Promise<ExitStatus> {
  const { tenant, snapshot, raw } = flags;
  await withStore(settingsOf(shell), async (store) => {
    const { manifest, isLive } = await chosenSnapshot(store, tenant, snapshot, shell.signal);
    const entry = chosenEntry(manifest, flags);
    if (entry === undefined) {
      if (raw) throw new Failure("usage", "--raw needs one of --program, --list and --legacy.");
      printSummary(shell, manifest, isLive, flags.json);
      return;
    }
    const bytes = await responseBytes(store, entry, shell.signal);
    if (raw) shell.stdout.write(bytes);
    else shell.stdout.write(`${printableJson(JSON.parse(bytes.toString("utf8")))}\n`);
  });
  return 0;
}

function chosenEntry(manifest: Manifest, flags: ShowFlags): ResponseEntry | undefined {
  if (flags.list) return manifest.list;
  if (flags.legacy) return manifest.legacy;
  if (flags.program === undefined) return undefined;
  const entry = detailEntry(manifest, flags.program);
  if (entry !== undefined) return entry;
  const { tenantId, snapshotId } = manifest;
  throw new Failure(
    "not_found",
    `Snapshot ${snapshotId} of tenant ${tenantId} has no program ${flags.program}: partners get 404. ` +
      `Ask why: \`snapshot explain --tenant ${tenantId} --program ${flags.program}\`.` +
      didYouMean(flags.program, manifest.programs.ids()),
  );
}

function printSummary(shell: Shell, manifest: Manifest, isLive: boolean, json: boolean): void {
  const { tenantId, snapshotId, generation, parent, generatedAt, list, legacy, programs } = manifest;
  if (json) {
    const counts = { programs: programs.count };
    printJson(shell, { tenantId, snapshotId, isLive, generation, parent, generatedAt, counts, list, legacy });
    return;
  }
  shell.stdout.write(snapshotFacts(manifest, isLive, layoutOf(shell)));
}

interface ExportFlags {
  readonly tenant: TenantId;
  readonly out: string;
  readonly snapshot?: SnapshotId;
  readonly json: boolean;
}

/** `snapshot export`: a snapshot as plain files, for any web server or archive. */
export function snapshotExport(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", asTenantId)
    .requiredOption("--out <dir>", "the folder to write: a new or an empty one")
    .option("--snapshot <id>", "this snapshot instead of the live one", asSnapshotId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, exportFiles));
}

async function exportFiles(shell: Shell, { tenant, out, snapshot, json }: ExportFlags): Promise<ExitStatus> {
  const { signal } = shell;
  const [snapshotId, exported] = await withStore(settingsOf(shell), async (store) => {
    const { manifest } = await chosenSnapshot(store, tenant, snapshot, signal);
    return [manifest.snapshotId, await exportSnapshot(store, manifest, out, signal)] as const;
  });
  if (json) printJson(shell, { tenantId: tenant, snapshotId, ...exported });
  else {
    const { directory, files, bytes } = exported;
    const size = `${numberText(files)} files, ${numberText(bytes)} bytes`;
    shell.stdout.write(`Snapshot ${snapshotId} of tenant ${tenant}: ${size} in ${printable(directory)}\n`);
  }
  return 0;
}

/** `snapshot verify`: whether every object that partners can get is intact. */
export function snapshotVerify(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant", asTenantId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, verify));
}

async function verify(shell: Shell, { tenant, json }: TenantFlags): Promise<ExitStatus> {
  const results: TenantVerification[] = [];
  const settings = settingsOf(shell);
  const nothing = await withStore(settings, async (store) => {
    const { signal } = shell;
    const confirmations = await readConfirmed(store, signal);
    const context = { store, isLiveTreeWanted: settings.liveCopy, confirmations, signal };
    const tenants = tenant === undefined ? await publishedTenants(store, confirmations, signal) : [tenant];
    for (const tenantId of tenants) results.push(await verifyTenant(tenantId, context));
    if (results.some(({ outcome }) => outcome !== "unpublished")) return "";
    const nothing = await whereNothingIs(store, shell);
    if (tenant === undefined) return nothing;
    const what = `Nothing is published for tenant ${tenant}, so there is nothing to verify. Check the id. ${nothing}`;
    throw await unknownTenant(store, tenant, what, signal);
  });
  const isClean = results.every(({ outcome }) => outcome !== "findings");
  if (json) printJson(shell, { outcome: isClean ? "clean" : "findings", tenants: results });
  else shell.stdout.write(verificationText(results, nothing));
  return isClean ? 0 : 1;
}

/** The tenants with objects in the store, and those that a build has published. */
async function publishedTenants(
  store: ObjectStore,
  confirmations: Confirmations,
  signal: AbortSignal,
): Promise<readonly TenantId[]> {
  const tenantIds = new Set<TenantId>();
  for await (const tenantId of storedTenants(store, signal)) tenantIds.add(tenantId);
  for (const [tenantId, { snapshotId }] of confirmations) if (snapshotId !== null) tenantIds.add(tenantId);
  return [...tenantIds].sort();
}
