import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";

/** A regular expression in the code, or one that ajv compiles from a schema. */
export interface Pattern {
  /** File and line. */
  readonly where: string;
  readonly source: string;
  readonly flags: string;
  /** The expression is put together at run time, so it cannot be checked. */
  readonly isComposed: boolean;
}

/** Every regular expression of production code and of the schemas, found in the syntax trees. */
export function productionPatterns(): { readonly patterns: readonly Pattern[]; readonly fileCount: number } {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "cli", "core", "gateway", "schemas"],
    { encoding: "utf8" },
  );
  const files = listed.split("\n").filter((path) => /\.(ts|schema\.json)$/.test(path));
  const patterns = files.flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return path.endsWith(".json") ? patternsOfSchema(path, JSON.parse(text)) : patternsOfCode(path, text);
  });
  return { patterns, fileCount: files.length };
}

function patternsOfCode(path: string, text: string): Pattern[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const patterns: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    const where = `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
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
  return patterns;
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
