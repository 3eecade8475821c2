import { Command } from "commander";
import { singleLine } from "../core/printable.ts";
import { config } from "./commands/config.ts";
import { inspect } from "./commands/inspect.ts";
import { openapi } from "./commands/openapi.ts";
import { requestExplain } from "./commands/request-explain.ts";
import { snapshotBuild } from "./commands/snapshot-build.ts";
import { snapshotDiff } from "./commands/snapshot-diff.ts";
import { snapshotExplain } from "./commands/snapshot-explain.ts";
import { snapshotExport } from "./commands/snapshot-export.ts";
import { snapshotList } from "./commands/snapshot-list.ts";
import { snapshotPrune } from "./commands/snapshot-prune.ts";
import { snapshotRelease } from "./commands/snapshot-release.ts";
import { snapshotRollback } from "./commands/snapshot-rollback.ts";
import { snapshotShow } from "./commands/snapshot-show.ts";
import { snapshotStatus } from "./commands/snapshot-status.ts";
import { snapshotVerify } from "./commands/snapshot-verify.ts";
import { snapshotWatch } from "./commands/snapshot-watch.ts";
import { sourceCheck } from "./commands/source-check.ts";
import { sourceInit } from "./commands/source-init.ts";
import { sourceSeed } from "./commands/source-seed.ts";
import { storeCheck } from "./commands/store-check.ts";
import { tokenCreate } from "./commands/token-create.ts";
import { tokenList } from "./commands/token-list.ts";
import { tokenRevoke } from "./commands/token-revoke.ts";
import { tokenRotate } from "./commands/token-rotate.ts";
import { tokenUsage } from "./commands/token-usage.ts";
import type { Shell } from "./shell/shell.ts";

/** The whole command line. Each command is a file of its own under `commands/`. */
export function createProgram(shell: Shell, version: string): Command {
  const program = new Command("partner-programs")
    .description("Publishes tour programs to partners as precomputed snapshots.")
    .version(version)
    .showHelpAfterError("(--help shows what is possible)")
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      // Errors quote the arguments; one line each keeps an argument from forging the next.
      outputError: (text, write) => write(`${singleLine(text.trimEnd())}\n`),
    })
    .exitOverride();
  group(program, "source", "set up, fill and check the booking database", [
    sourceInit(shell),
    sourceSeed(shell),
    sourceCheck(shell),
  ]);
  group(program, "snapshot", "build, inspect and mend snapshots", [
    snapshotBuild(shell),
    snapshotWatch(shell),
    snapshotStatus(shell),
    snapshotShow(shell),
    snapshotDiff(shell),
    snapshotExplain(shell),
    snapshotList(shell),
    snapshotVerify(shell),
    snapshotRollback(shell),
    snapshotRelease(shell),
    snapshotPrune(shell),
    snapshotExport(shell),
  ]);
  group(program, "store", "check the object store", [storeCheck(shell)]);
  group(program, "token", "create, rotate, revoke and list partner tokens", [
    tokenCreate(shell),
    tokenRotate(shell),
    tokenRevoke(shell),
    tokenList(shell),
    tokenUsage(shell),
  ]);
  group(program, "request", "explain what partners got", [requestExplain(shell)]);
  for (const command of [inspect(shell), config(shell), openapi(shell)]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}

function group(program: Command, name: string, description: string, commands: readonly Command[]): void {
  const parent = program.command(name).description(description);
  // A command made elsewhere does not know our outputs and our way to end.
  for (const command of commands) parent.addCommand(command.copyInheritedSettings(parent));
}
