import { Command, Option } from "commander";
import { Failure } from "../../core/failure.ts";
import { type ProgramId, parseProgramId, type SnapshotId, type TenantId } from "../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../core/manifest.ts";
import { printableJson } from "../../core/printable.ts";
import { snapshotFacts } from "../operate/snapshots/snapshot-text.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { responseBytes } from "../publish/snapshot/stored-response.ts";
import { chosenSnapshot } from "../publish/snapshot/stored-snapshot.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { didYouMean } from "../shell/nearest-name.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asSnapshotId, asTenantId, parsedOption } from "./option-values.ts";

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
    .action(action(shell, run));
}

async function run(shell: Shell, flags: ShowFlags): Promise<ExitStatus> {
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
  printText(shell, snapshotFacts(manifest, isLive, layoutOf(shell)));
}
