// Fails when matching a regular expression of production code can take longer than in proportion to its
// input, since one long line would stall everybody. Fails for a list whose length others determine where it
// becomes the arguments of a call: V8 ends a call with more than about 125,000. Fails for a repetition that
// remembers each of its turns: V8 gives it up after some millions. Fails for a function of more than 60
// lines: nobody keeps more in mind, and for a comment wider than the code. Fails, too, when it looked at no
// pattern.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { check } from "recheck";
import ts from "typescript";

/**
 * This checker proves its result. The analyser's other one tries inputs at random for some time, so its
 * result varies.
 */
const options = { checker: "automaton", timeout: null } as const;

/** The most lines of a function, with all functions inside. */
const maxFunctionLines = 60;

/** As wide as the formatter makes the code. */
const maxCommentWidth = 110;

/** Functions whose last parameter takes a few steps, words or codes, which stand in our code (P215). */
const takesFew = new Set(
  "badge comes count forOperations forSupport gauge refuse requestCase stays unlessErrno unlessKind".split(
    " ",
  ),
);

const { patterns, spreads, long, fileCount } = productionCode();
// One pattern after the other: when the analyser has all of them at once, it takes twice as long.
const faults: string[] = [...spreads, ...long];
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
  if (isUnboundedTo(where) && remembersTurns(source, flags))
    return `${where}: /${source}/${flags} remembers each turn of a repetition; search for what ends it, or write a loop.`;
  const diagnostics = await check(source, flags, options);
  if (diagnostics.status === "safe") return undefined;
  const why =
    diagnostics.status === "unknown"
      ? `not analysed: ${diagnostics.error.kind}`
      : diagnostics.complexity.summary;
  return `${where}: /${source}/${flags} is not linear (${why}); write a loop, or a pattern without overlaps.`;
}

/**
 * Whether texts of any length meet the file's patterns. The head of a request has at most 64 KB, an argument
 * of a command 128 KB, and an address 2 MB before it meets the schema's pattern.
 */
function isUnboundedTo(where: string): boolean {
  return !/^(?:gateway\/|schemas\/|cli\/partners\/folder\/company\.ts)/.test(where);
}

/**
 * D141: whether V8 keeps a place to come back to for each turn of a repetition without an end: that of a
 * group, and with the flag `u` that of any character which may be beyond ASCII.
 */
function remembersTurns(source: string, flags: string): boolean {
  const withoutClasses = source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, "x");
  if (/\)(?:[*+]|\{\d+,\})/.test(withoutClasses)) return true;
  const repeated = /(\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\.|.)(?:[*+]|\{\d+,\})/gs;
  const isWide = (atom: string): boolean => /^\.$|^\[\^|\\[pPsSDWu]|[^\0-\x7f]/.test(atom);
  return flags.includes("u") && [...source.matchAll(repeated)].some(([, atom = ""]) => isWide(atom));
}

/** A regular expression in the code, or one that ajv compiles from a schema. */
interface Pattern {
  /** File and line. */
  readonly where: string;
  readonly source: string;
  readonly flags: string;
  /** The expression is put together at run time, so it cannot be checked. */
  readonly isComposed: boolean;
}

interface ProductionCode {
  readonly patterns: readonly Pattern[];
  /** The calls that get a list as their arguments, each with what to do instead. */
  readonly spreads: readonly string[];
  /** The functions that are too long and the comments that are too wide, each with what to do instead. */
  readonly long: readonly string[];
  readonly fileCount: number;
}

/** Every regular expression of production code and of the schemas, found in the syntax trees. */
function productionCode(): ProductionCode {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "cli", "core", "gateway", "schemas"],
    { encoding: "utf8" },
  );
  const files = listed.split("\n").filter((path) => /\.(ts|schema\.json)$/.test(path));
  const patterns: Pattern[] = [];
  const spreads: string[] = [];
  const long: string[] = [];
  for (const path of files) {
    const text = readFileSync(path, "utf8");
    if (path.endsWith(".json")) patterns.push(...patternsOfSchema(path, JSON.parse(text)));
    else lookAtCode(path, text, { patterns, spreads, long });
  }
  return { patterns, spreads, long, fileCount: files.length };
}

/** The formatter wraps no comment. */
function wideComments(path: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line, at) => {
    const isWide = line.length > maxCommentWidth && /^\s*(?:\/\/ (?!biome-ignore)|\/?\*)/.test(line);
    return isWide ? [`${path}:${at + 1}: a comment wider than the code; wrap it.`] : [];
  });
}

function lookAtCode(
  path: string,
  text: string,
  { patterns, spreads, long }: { patterns: Pattern[]; spreads: string[]; long: string[] },
): void {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const isGenerated = path.startsWith("schemas/generated/");
  if (!isGenerated) long.push(...wideComments(path, text));
  const lineAt = (at: number): number => file.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node: ts.Node): void => {
    const where = `${path}:${lineAt(node.getStart())}`;
    const lines =
      !isGenerated && isOutermostFunction(node) ? lineAt(node.end) - lineAt(node.getStart()) + 1 : 0;
    if (lines > maxFunctionLines) {
      long.push(
        `${where}: a function of ${lines} lines, and ${maxFunctionLines} are the most; take parts out.`,
      );
    }
    if (isUnboundedCall(node)) {
      spreads.push(`${where}: \`${node.getText()}\` may get any number of arguments; write a loop.`);
    }
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      patterns.push({ where, source, flags, isComposed: false });
    } else if (isRegExpCall(node)) {
      const [source, flags] = node.arguments ?? [];
      const isLiteral = source !== undefined && ts.isStringLiteralLike(source);
      patterns.push({
        where,
        source: isLiteral ? source.text : "",
        flags: flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : "",
        isComposed: !isLiteral,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/** A function that no other one contains, whose lines it would share. */
function isOutermostFunction(node: ts.Node): boolean {
  return ts.isFunctionLike(node) && ts.findAncestor(node.parent, ts.isFunctionLike) === undefined;
}

/**
 * P215: a call that gets a list as its arguments, unless our code has written the list, or the caller each
 * argument.
 */
function isUnboundedCall(node: ts.Node): boolean {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false;
  if (/\bapply$/.test(node.expression.getText())) return true;
  if (takesFew.has(node.expression.getText())) return false;
  return (node.arguments ?? []).some((list) => ts.isSpreadElement(list) && !isRestParameter(list.expression));
}

function isRestParameter(list: ts.Expression): boolean {
  for (let node: ts.Node = list; node.parent !== undefined; node = node.parent) {
    const rest = ts.isFunctionLike(node)
      ? node.parameters.find(({ dotDotDotToken }) => dotDotDotToken)
      : undefined;
    if (rest?.name.getText() === list.getText()) return true;
  }
  return false;
}

function isRegExpCall(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
}

function patternsOfSchema(where: string, schema: unknown): Pattern[] {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "pattern" && typeof value === "string"
      ? [{ where, source: value, flags: "u", isComposed: false }]
      : patternsOfSchema(where, value),
  );
}
