// Fails when docs/rules.md, the code and the tests do not belong together: a number is cited that no rule has, or a rule is
// cited by no comment of the code or by no test's title.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { citationFaults, citationsInComments, citationsInTitles, rulesOf } from "./rule-citations.ts";

const { numbers, faults: pageFaults } = rulesOf(readFileSync("docs/rules.md", "utf8"));
const code = typeScriptBelow("cli", "core", "gateway", "schemas").flatMap((path) =>
  citationsInComments(path, readFileSync(path, "utf8")),
);
const titles = typeScriptBelow("test")
  .filter((path) => path.endsWith(".test.ts"))
  .flatMap((path) => citationsInTitles(path, readFileSync(path, "utf8")));
const faults = [...pageFaults, ...citationFaults(numbers, code, titles)];
for (const line of faults) console.error(line);
console.log(
  `${numbers.length} rules, cited ${code.length} times in code and ${titles.length} times in tests.`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

function typeScriptBelow(...folders: readonly string[]): readonly string[] {
  const options = ["--cached", "--others", "--exclude-standard", ...folders];
  const listed = execFileSync("git", ["ls-files", ...options], { encoding: "utf8" });
  return listed.split("\n").filter((path) => path.endsWith(".ts"));
}
