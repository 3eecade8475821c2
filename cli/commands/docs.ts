import { Command } from "commander";
import { printable } from "../../core/printable.ts";
import { numberText } from "../output/counted.ts";
import { openapiDocument } from "../partners/folder/api-document.ts";
import { type Contact, parseBaseUrl, parseCompanyName, parseContact } from "../partners/folder/company.ts";
import { exportPartnerFolder } from "../partners/folder/partner-folder.ts";
import { readSandbox } from "../publish/sandbox/sandbox-document.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { parsedOption } from "./option-values.ts";

interface ExportFlags {
  readonly company: string;
  readonly baseUrl: string;
  readonly contact: Contact;
  readonly withoutSandbox: boolean;
  readonly out: string;
  readonly json: boolean;
}

/** `docs export`: writes a folder with all that a partner needs beside a token. */
export function docsExport(shell: Shell): Command {
  return new Command()
    .requiredOption(
      "--company <name>",
      "the company's name, as partners know it",
      parsedOption(parseCompanyName),
    )
    .requiredOption("--base-url <url>", "where partners reach the gateway", parsedOption(parseBaseUrl))
    .requiredOption(
      "--contact <address>",
      "whom partners ask: e-mail or https address",
      parsedOption(parseContact),
    )
    .requiredOption("--out <dir>", "the folder to write: a new or an empty one")
    .option("--without-sandbox", "promise no sandbox, and do not ask the store for one", false)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(
  shell: Shell,
  { company: name, baseUrl, contact, withoutSandbox, out, json }: ExportFlags,
): Promise<ExitStatus> {
  const hasSandbox = !withoutSandbox && (await isSandboxStored(shell));
  const exported = await exportPartnerFolder({ name, baseUrl, contact, hasSandbox }, out);
  if (json) printJson(shell, { baseUrl, ...exported });
  else {
    const { directory, files, bytes } = exported;
    const size = `${numberText(files)} files, ${numberText(bytes)} bytes`;
    shell.stdout.write(
      `The partner's folder: ${size} in ${printable(directory)}\nOpen index.html in it, or put it on any web server.\n`,
    );
  }
  return 0;
}

/** A folder promises a sandbox only if the store has one. */
async function isSandboxStored(shell: Shell): Promise<boolean> {
  return await withStore(settingsOf(shell), async (store) => {
    if ((await readSandbox(store, shell.signal)) !== undefined) return true;
    shell.stderr.write(
      `The store (${printable(store.address)}) has no sandbox, so the folder promises none; \`sandbox init\` makes one.\n`,
    );
    return false;
  });
}

/** `openapi`: prints the description of the API, which tools read. */
export function openapi(shell: Shell): Command {
  return new Command().action(
    action(shell, async () => {
      shell.stdout.write(await openapiDocument());
      return 0;
    }),
  );
}
