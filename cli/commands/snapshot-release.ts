import { Command } from "commander";
import { parseTenantId, type TenantId } from "../../core/ids.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { createFollowLive } from "../snapshot/live-copy.ts";
import { release } from "../snapshot/release.ts";
import { withCheckedStore } from "../store-check/with-checked-store.ts";
import { parsedOption } from "./parsed-option.ts";

interface ReleaseFlags {
  readonly tenant: TenantId;
  readonly json: boolean;
}

/** `snapshot release`: lets builds publish the tenant again. */
export function snapshotRelease(shell: Shell): Command {
  return new Command()
    .requiredOption("--tenant <id>", "the tenant", parsedOption(parseTenantId))
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: ReleaseFlags) => run(shell, flags)));
}

async function run(shell: Shell, { tenant, json }: ReleaseFlags): Promise<ExitStatus> {
  const { now, randomBytes, signal } = shell;
  const { outcome, before, after } = await withCheckedStore(shell, async (store) => {
    const done = await release(tenant, { store, now, randomBytes, signal });
    await createFollowLive(shell, settingsOf(shell))(store, done.after);
    return done;
  });
  const { snapshotId, generation } = after;
  if (json) {
    printJson(shell, { tenantId: tenant, outcome, snapshotId, generation, endedHold: before.hold });
  } else if (outcome === "not-held") {
    shell.stdout.write(`Tenant ${tenant} is not on hold; nothing was done.\n`);
  } else {
    shell.stdout.write(
      `Tenant ${tenant} is released. Snapshot ${snapshotId} stays live until the next build: \`snapshot build --tenant ${tenant}\`.\n`,
    );
  }
  return 0;
}
