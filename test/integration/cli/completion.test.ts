import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { commandNamed } from "../../support/command-lines.ts";
import { commandPaths } from "../../support/command-paths.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "completion-"));
  for (const shell of ["bash", "zsh", "fish"]) {
    const { status, stdout } = await runCommand(["completion", shell]);
    expect(status).toBe(0);
    await writeFile(join(folder, `script.${shell}`), stdout);
  }
  await mkdir(join(folder, "logs and more"));
  await writeFile(join(folder, "logs and more.txt"), "");
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** What is typed up to the cursor, and what is offered. */
const cases: readonly (readonly [string, readonly string[]])[] = [
  ["sn", ["snapshot"]],
  ["snapshot ex", ["explain", "export"]],
  ["help snapshot ex", ["explain", "export"]],
  ["snapshot help b", ["build"]],
  ["snapshot build --on-invalid s", ["skip"]],
  ["snapshot build --tenant acme --re", ["--reason", "--report", "--rewrite"]],
  ["snapshot status --j", ["--json"]],
  ["completion z", ["zsh"]],
  ["token usage --log logs", ["logs and more", "logs and more.txt"]],
  ["snapshot export --out logs", ["logs and more"]],
  ["snapshot build --tenant s", []],
];

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

describe("bash", () => {
  const script = `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
complete -p partner-programs >/dev/null || exit 3
_partner_programs 2>/dev/null
for reply in "\${COMPREPLY[@]}"; do printf '%s\\n' "$reply"; done`;

  function offered(...words: readonly string[]): readonly string[] {
    const args = ["--norc", "-c", script, "bash", "script.bash", "partner-programs", ...words];
    return linesOf(execFileSync("bash", args, { cwd: folder, encoding: "utf8" }));
  }

  test.each(cases)("completes '%s'", (typed, expected) => {
    expect(offered(...typed.split(" "))).toEqual(expected);
  });

  test("takes --on-invalid=, which it splits into three words", () => {
    expect(offered("snapshot", "build", "--on-invalid", "=")).toEqual(["fail", "report", "skip"]);
    expect(offered("snapshot", "build", "--on-invalid", "=", "r")).toEqual(["report"]);
  });

  test.each(commandPaths().map((path) => path.join(" ")))("P83 offers all of '%s'", (name) => {
    const path = name === "" ? [] : name.split(" ");
    const command = commandNamed(path);
    const options = (command?.options ?? []).map(({ long }) => long);
    const words = (command?.commands ?? []).map((child) => child.name());
    expect(offered(...path, "--")).toEqual([...options, "--help"].sort());
    if (words.length > 0) expect(offered(...path, "")).toEqual(expect.arrayContaining(words));
  });
});

describe.skipIf(!has("zsh"))("zsh (skipped where it is not installed)", () => {
  // A terminal of zsh's own; each group of matches is written down, then that it is done.
  const script = `zmodload zsh/zpty || exit 3
exec 2>/dev/null
zpty -b z zsh -f -i
zpty -w z 'PS1=; autoload -Uz compinit; compinit -u -D; source ./script.zsh'
zpty -w z 'compadd() { local -a hits; builtin compadd -A hits "$@"; print -rl -- $hits >> hits; builtin compadd "$@" }'
zpty -w z 'complete-all() { zle expand-or-complete; print >> done }; zle -N complete-all; bindkey "^I" complete-all; print >> ready'
until [[ -e ready ]]; do zpty -r z out; done
zpty -n -w z "$1"$'\\t'
until [[ -e done ]]; do zpty -r z out; done
zpty -d z`;

  async function offered(typed: string): Promise<readonly string[]> {
    for (const file of ["hits", "ready", "done"]) await rm(join(folder, file), { force: true });
    await writeFile(join(folder, "hits"), "");
    spawnSync("zsh", ["-f", "-c", script, "zsh", `partner-programs ${typed}`], {
      cwd: folder,
      timeout: 120_000,
    });
    return linesOf(execFileSync("cat", [join(folder, "hits")], { encoding: "utf8" }));
  }

  test.each(cases)("completes '%s'", async (typed, expected) => {
    expect((await offered(typed)).map((hit) => hit.replaceAll("\\", "").replace(/\/$/, "")).sort()).toEqual(
      expected,
    );
  });
});

describe.skipIf(!has("fish"))("fish (skipped where it is not installed)", () => {
  test.each(cases)("completes '%s'", (typed, expected) => {
    const command = `source script.fish; complete -C ${JSON.stringify(`partner-programs ${typed}`)}`;
    const lines = linesOf(
      execFileSync("fish", ["--no-config", "-c", command], { cwd: folder, encoding: "utf8" }),
    );
    expect(lines.map((line) => line.split("\t")[0]?.replace(/\/$/, "")).sort()).toEqual(expected);
  });
});

test("P83 the scripts are ones that their shells take", () => {
  for (const shell of ["bash", "zsh", "fish"].filter(has)) {
    expect(spawnSync(shell, ["-n", join(folder, `script.${shell}`)])).toMatchObject({ status: 0 });
  }
});

function linesOf(text: string): readonly string[] {
  return [...new Set(text.split("\n").filter((line) => line !== ""))].sort();
}
