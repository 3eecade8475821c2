import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { withSourceReading } from "../database/with-source-reading.ts";
import { withSharedAdvice } from "../operate/source-check/finding-groups.ts";
import { layoutOf } from "../output/layout.ts";
import { contentRules } from "../publish/content/content-rules.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { previewSource } from "../support/source-preview.ts";
import { previewText } from "../support/texts/preview.ts";
import { asTenantId, sourceProgramId } from "./option-values.ts";

interface PreviewFlags {
  readonly tenant?: TenantId;
  readonly program?: string;
  readonly json: boolean;
}

/** `source preview`: what would be published, without a store. */
export function sourcePreview(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "the tenant (default: the first)", asTenantId)
    .option("--program <id>", "the program (default: the first that would be published)", sourceProgramId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, program, json }: PreviewFlags): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const { signal } = shell;
  const wish = { tenantId: tenant, programId: program };
  const found = await withSourceReading(settings, signal, (client) =>
    previewSource(client, contentRules(settings), wish),
  );
  const preview = { ...found, findings: withSharedAdvice(found.findings, settings) };
  if (json) printJson(shell, { ...preview, prices: null });
  else shell.stdout.write(previewText(preview, layoutOf(shell)));
  return 0;
}
