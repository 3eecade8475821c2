import { Argument, Command } from "commander";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { bashCompletion } from "./completion/bash-completion.ts";
import { type CommandShape, commandShape } from "./completion/command-shape.ts";
import { fishCompletion } from "./completion/fish-completion.ts";
import { zshCompletion } from "./completion/zsh-completion.ts";

/**
 * `completion`: prints a script that makes a shell complete calls. It is made from the commands themselves (P83). Ids of tenants
 * are not completed, because the script would have to start this program at each press of the key.
 */
export function completion(shell: Shell): Command {
  return new Command()
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(scripts)))
    .action(action(shell, run));
}

async function run(shell: Shell, name: string, _: object, own: Command): Promise<ExitStatus> {
  const script = scripts[name];
  if (script !== undefined && own.parent !== null) shell.stdout.write(script(commandShape(own.parent)));
  return 0;
}

const scripts: Readonly<Record<string, (program: CommandShape) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
