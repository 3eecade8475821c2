import { printable } from "../../core/ground/printable.ts";
import { parseBaseUrl, parseCompanyName, parseContact } from "../partners/folder/company.ts";
import { exportPartnerFolder, openapiDocument } from "../partners/folder/partner-folder.ts";
import { readSandbox } from "../publish/snapshot/sandbox-tenant.ts";
import { exportedText } from "../read/snapshots/export-snapshot.ts";
import { printResult, type Shell, settingsOf, withStore } from "../shell/shell.ts";
import { asText, command, flag, json, required } from "./command.ts";

/** `docs export`: writes a folder with all that a partner needs beside a token. */
export const docsExport = command(
  {
    company: required("<name>", "the company's name, as partners know it", parseCompanyName),
    baseUrl: required("<url>", "where partners reach the gateway", parseBaseUrl),
    contact: required("<address>", "whom partners ask: e-mail or https address", parseContact),
    out: required("<dir>", "the folder to write: a new or an empty one", asText),
    withoutSandbox: flag("promise no sandbox, and do not ask the store for one"),
    json,
  },
  async (shell, { company: name, baseUrl, contact, withoutSandbox, out, json }) => {
    const hasSandbox = !withoutSandbox && (await isSandboxStored(shell));
    const exported = await exportPartnerFolder({ name, baseUrl, contact, hasSandbox }, out);
    const where = exportedText("The partner's folder", exported);
    const text = `${where}Open index.html in it, or put it on any web server.\n`;
    printResult(shell, json, { baseUrl, ...exported }, text);
  },
);

/** A folder promises a sandbox only if the store has one. */
async function isSandboxStored(shell: Shell): Promise<boolean> {
  return await withStore(settingsOf(shell), async (store) => {
    if ((await readSandbox(store, shell.signal)) !== undefined) return true;
    const where = printable(store.address);
    shell.stderr.write(
      `The store (${where}) has no sandbox, so the folder promises none; \`sandbox init\` makes one.\n`,
    );
    return false;
  });
}

/** `openapi`: prints the description of the API, which tools read. */
export const openapi = command({}, async (shell) => {
  shell.stdout.write(await openapiDocument());
});
