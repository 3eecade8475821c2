// Fails when docs/rules.md, the code and the tests do not belong together: a number is cited that no rule
// has, stands twice, or is cited by no comment of the code or by no test's title.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** A place where a rule's number is cited. */
interface Citation {
  readonly number: string;
  /** File and line. */
  readonly where: string;
}

const page = readFileSync("docs/rules.md", "utf8");
const rules = [...page.matchAll(/^- \*\*([WTDP][1-9]\d{0,2})\*\* /gm)].map(([, number = ""]) => number);
/** A comment of any kind begins on the line, or the line goes on with one. */
const code = citations(["cli", "core", "gateway", "schemas"], ".ts", /\/\/.*|\/\*.*|^\s*\*.*/g);
/** A title begins with its numbers, or ends with them in parentheses. */
const titles = citations(
  ["test"],
  ".test.ts",
  /(?<=["'`])[WTDP][1-9]\d{0,2}[ :,][^"'`]*|\([WTDP][1-9][WTDP\d, ]*\)(?=["'`])/g,
);

const faults = [
  ...rules.filter((number, at) => rules.indexOf(number) < at).map((number) => `${number} stands twice.`),
  ...[...code, ...titles]
    .filter(({ number }) => !rules.includes(number))
    .map(({ number, where }) => `${where}: no rule has the number ${number}.`),
  ...uncited(code).map((number) => `${number}: no comment of the code cites it.`),
  ...uncited(titles).map((number) => `${number}: no test's title cites it.`),
];
for (const line of faults) console.error(line);
console.log(`${rules.length} rules, cited ${code.length} times in code and ${titles.length} times in tests.`);
process.exitCode = faults.length > 0 || rules.length === 0 ? 1 : 0;

/** The numbers in the parts of lines that fit, in the tracked and new files below the folders. */
function citations(folders: readonly string[], ending: string, part: RegExp): readonly Citation[] {
  const options = ["--cached", "--others", "--exclude-standard", ...folders];
  const paths = execFileSync("git", ["ls-files", ...options], { encoding: "utf8" }).split("\n");
  return paths
    .filter((path) => path.endsWith(ending) && existsSync(path))
    .flatMap((path) =>
      readFileSync(path, "utf8")
        .split("\n")
        .flatMap((line, at) =>
          (line.match(part) ?? [])
            .flatMap((text) => text.match(/\b[WTDP][1-9]\d{0,2}\b/g) ?? [])
            .map((number) => ({ number, where: `${path}:${at + 1}` })),
        ),
    );
}

function uncited(cited: readonly Citation[]): readonly string[] {
  const numbers = new Set(cited.map(({ number }) => number));
  return rules.filter((number) => !numbers.has(number));
}
