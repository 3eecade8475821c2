/** The lines that `sandbox init` prints, as variables. */
export function sandboxVariables(stdout: string): Readonly<Record<string, string>> {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const [, name, token] = /^(SANDBOX_TOKEN\w*)=(ppr_\w{49})$/.exec(line) ?? [];
      if (name === undefined || token === undefined) throw new Error(`not a variable: ${line}`);
      return [name, token];
    }),
  );
}
