import { Argument, Command } from "commander";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { bashCompletion } from "./completion/bash-completion.ts";
import { type CommandShape, commandShape } from "./completion/command-shape.ts";
import { fishCompletion } from "./completion/fish-completion.ts";
import { zshCompletion } from "./completion/zsh-completion.ts";

/**
 * P83 `completion`: a script that makes a shell complete calls, out of the commands themselves. It asks no store: tenants
 * would cost a start of the program with each key.
 */
export function completion(shell: Shell): Command {
  const command = new Command().addArgument(
    new Argument("<shell>", "which shell").choices(Object.keys(scripts)),
  );
  return command.action(action(shell, (name: string) => run(shell, name, command)));
}

async function run(shell: Shell, name: string, own: Command): Promise<ExitStatus> {
  const script = scripts[name];
  if (script !== undefined && own.parent !== null) shell.stdout.write(script(commandShape(own.parent)));
  return 0;
}

const scripts: Readonly<Record<string, (program: CommandShape) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
