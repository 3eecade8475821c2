// Fails when matching a regular expression of production code can take longer than in proportion to its input: one long
// line would stall everybody. Fails, too, when it looked at no pattern.
import { check } from "recheck";
import { type Pattern, productionPatterns } from "./production-patterns.ts";

/** This checker proves its result. The analyser's other one tries inputs at random for some time, so its result varies. */
const options = { checker: "automaton", timeout: null } as const;

const { patterns, fileCount } = productionPatterns();
// One pattern after the other: when the analyser has all of them at once, it takes twice as long.
const faults: string[] = [];
for (const pattern of patterns) {
  const fault = await faultOf(pattern);
  if (fault !== undefined) faults.push(fault);
}
for (const line of faults) console.error(line);
console.log(`${patterns.length} patterns in ${fileCount} files looked at.`);
process.exitCode = faults.length > 0 || patterns.length === 0 ? 1 : 0;

async function faultOf({ where, source, flags, isComposed }: Pattern): Promise<string | undefined> {
  if (isComposed)
    return `${where}: nobody can look at a pattern that is put together at run time; write it out.`;
  const diagnostics = await check(source, flags, options);
  if (diagnostics.status === "safe") return undefined;
  const why =
    diagnostics.status === "unknown"
      ? `not analysed: ${diagnostics.error.kind}`
      : diagnostics.complexity.summary;
  return `${where}: /${source}/${flags} is not linear (${why}); write a loop, or a pattern without overlaps.`;
}
