import ts from "typescript";

/** A place where a rule's number is cited. */
export interface Citation {
  readonly number: string;
  /** File and line. */
  readonly where: string;
}

/** The rules of docs/rules.md in their order, and the faults of the page itself. */
export function rulesOf(page: string): {
  readonly numbers: readonly string[];
  readonly faults: readonly string[];
} {
  const numbers = [...page.matchAll(/^- \*\*([WTDP][1-9]\d{0,2})\*\* /gm)].map(([, number = ""]) => number);
  const faults = numbers.flatMap((number, at) => {
    const before = numbers[at - 1];
    if (before === undefined || rank(before) < rank(number)) return [];
    return [before === number ? `${number} stands twice.` : `${number} stands behind ${before}.`];
  });
  return { numbers, faults: numbers.length === 0 ? ["no rule was seen"] : faults };
}

/** The numbers in the comments of a TypeScript file. Numbers in strings and names do not count. */
export function citationsInComments(path: string, text: string): readonly Citation[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const citations: Citation[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    // Between two tokens are only white space and comments.
    if (children.length > 0) children.forEach(visit);
    else citations.push(...citationsBetween(file, node.getFullStart(), node.getStart(file)));
  };
  visit(file);
  return citations;
}

/**
 * The numbers in the titles of a test file: in the first argument of `describe`, `it` and `test`, and in the names of the
 * cases that `describeWire` makes tests of.
 */
export function citationsInTitles(path: string, text: string): readonly Citation[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const citations: Citation[] = [];
  const take = (title: ts.Node | undefined): void => {
    if (title !== undefined && isText(title))
      citations.push(...citationsBetween(file, title.getStart(file), title.getEnd()));
  };
  const visit = (node: ts.Node, isWireCase: boolean): void => {
    const callee = ts.isCallExpression(node) ? calleeName(node) : undefined;
    if (ts.isCallExpression(node) && (isWireCase || titled.has(callee ?? ""))) take(node.arguments[0]);
    if (isWireCase && ts.isPropertyAssignment(node) && node.name.getText(file) === "name")
      take(node.initializer);
    const isWire = isWireCase || callee === "describeWire";
    ts.forEachChild(node, (child) => visit(child, isWire));
  };
  visit(file, false);
  return citations;
}

/** The faults: cited numbers without a rule, and rules that no code or no test cites. */
export function citationFaults(
  numbers: readonly string[],
  code: readonly Citation[],
  titles: readonly Citation[],
): readonly string[] {
  const known = new Set(numbers);
  const unknown = [...code, ...titles].filter(({ number }) => !known.has(number));
  return [
    ...unknown.map(({ number, where }) => `${where}: no rule has the number ${number}.`),
    ...uncited(numbers, code).map((number) => `${number}: no comment of the code cites it.`),
    ...uncited(numbers, titles).map((number) => `${number}: no test's title cites it.`),
  ];
}

function uncited(numbers: readonly string[], citations: readonly Citation[]): readonly string[] {
  const cited = new Set(citations.map(({ number }) => number));
  return numbers.filter((number) => !cited.has(number));
}

function citationsBetween(file: ts.SourceFile, from: number, to: number): readonly Citation[] {
  return [...file.text.slice(from, to).matchAll(/\b[WTDP][1-9]\d{0,2}\b/g)].map(({ 0: number, index }) => {
    const { line } = file.getLineAndCharacterOfPosition(from + index);
    return { number, where: `${file.fileName}:${line + 1}` };
  });
}

/** `test` of `test("...")`, `test.each(...)("...")` and `test.skipIf(...)("...")`. */
function calleeName(call: ts.CallExpression): string | undefined {
  let callee: ts.Expression = call.expression;
  while (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) callee = callee.expression;
  return ts.isIdentifier(callee) ? callee.text : undefined;
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Groups in the order of the page, then numbers. */
function rank(number: string): number {
  return "WTDP".indexOf(number.charAt(0)) * 1000 + Number(number.slice(1));
}

const titled = new Set(["describe", "describeWire", "it", "test"]);
