import { Command } from "commander";
import { openapiDocument } from "../partners/folder/api-document.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";

/** `openapi`: prints the description of the API, which tools read. */
export function openapi(shell: Shell): Command {
  return new Command().action(action(shell, run));
}

async function run(shell: Shell): Promise<ExitStatus> {
  shell.stdout.write(await openapiDocument());
  return 0;
}
