import { withSourceReading } from "../database/with-database-url.ts";
import { withSharedAdvice } from "../operate/source-check/findings.ts";
import { layoutOf } from "../output/layout.ts";
import { contentRules } from "../publish/content/content-rules.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { previewSource } from "../support/source-preview.ts";
import { previewText } from "../support/texts/preview.ts";
import { command, json, value } from "./command.ts";
import { asTenantId, sourceProgramId } from "./option-values.ts";

/** `source preview`: what would be published, without a store. */
export const sourcePreview = command(
  {
    tenant: value("<id>", "the tenant (default: the first)", asTenantId),
    program: value("<id>", "the program (default: the first that would be published)", sourceProgramId),
    json,
  },
  async (shell, { tenant: tenantId, program: programId, json }) => {
    const settings = settingsOf(shell);
    const found = await withSourceReading(settings, shell.signal, (client) =>
      previewSource(client, contentRules(settings), { tenantId, programId }),
    );
    const preview = { ...found, findings: withSharedAdvice(found.findings, settings) };
    if (json) printJson(shell, { ...preview, prices: null });
    else shell.stdout.write(previewText(preview, layoutOf(shell)));
  },
);
