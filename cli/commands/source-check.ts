import { Failure } from "../../core/ground/failure.ts";
import { parseTenantId, type TenantId } from "../../core/ground/ids.ts";
import { printable, printableJson } from "../../core/ground/printable.ts";
import { withSourcePool } from "../database/connect.ts";
import { withDatabaseUrl, withSourceReading } from "../database/with-database-url.ts";
import { checkSource, type SourceReport } from "../operate/source-check/check-source.ts";
import { withSharedAdvice } from "../operate/source-check/findings.ts";
import type { SourceTables } from "../operate/source-check/source-tally.ts";
import { type Layout, layoutOf, numbers, table, wrapped } from "../output/layout.ts";
import { createProgressBar } from "../output/progress-bar.ts";
import { counted, numberText } from "../output/words.ts";
import { contentRules } from "../publish/content/checked-program.ts";
import { shownId } from "../publish/public-program/problem.ts";
import { knownRemovals } from "../publish/snapshot/removed-tenants.ts";
import { fixLines, type ProblemExample, type SourceProblem } from "../publish/source/source-problem.ts";
import { type CliSettings, printResult, type Shell, settingsOf, withStore } from "../shell/shell.ts";
import { type ProgramPreview, previewSource, type SourcePreview } from "../support/source-preview.ts";
import { problemText } from "../support/texts/program.ts";
import { command, json, value } from "./command.ts";
import { sourceProgramId } from "./option-values.ts";

/** `source check`: what a build would find wrong with the source, each finding with its fix. */
export const sourceCheck = command({ json }, async (shell, { json }) => {
  const report = await sourceReport(shell, settingsOf(shell));
  printResult(shell, json, report, checkText(shell, report));
  return report.isBroken ? 1 : 0;
});

async function sourceReport(shell: Shell, settings: CliSettings): Promise<SourceReport> {
  const { signal } = shell;
  const progress = createProgressBar(shell.stderr, shell.now);
  try {
    // A store that cannot be asked keeps nobody from checking the source.
    const removals = withStore(settings, (store) => knownRemovals(store, signal));
    const removed = new Set<TenantId>((await removals.catch(() => new Map())).keys());
    return await withDatabaseUrl(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: 1, signal }, (pool) =>
        pool.withReading(async (client) => {
          const today = shell.now().toISOString().slice(0, 10);
          const report = await checkSource(client, contentRules(settings), progress, removed, today);
          return { ...report, problems: withSharedAdvice(report.problems, settings) };
        }),
      ),
    );
  } catch (error) {
    throw signal.aborted ? new Failure("interrupted", "Interrupted.", { cause: error }) : error;
  } finally {
    progress.clear();
  }
}

function checkText(shell: Shell, report: SourceReport): string {
  const { problems, rows, published, isBroken, statuses, tables, unread } = report;
  const layout = layoutOf(shell);
  const findings = problems.length === 0 ? "" : `${problemReport(problems, layout)}\n`;
  const count = (severity: SourceProblem["severity"]): number =>
    problems.filter((problem) => problem.severity === severity).length;
  const errors = counted(count("error"), "error");
  if (rows === null) {
    return `${findings}The contract is broken: ${errors}. Rows were not looked at; mend the views first.\n`;
  }
  // The rows of a view that fails at one row cannot be counted, and must not be reported as 0.
  const sizes = (["tenant", "program"] as const).map((noun) => {
    const size = rows[`${noun}s`];
    return size === null || size === undefined ? `${noun}s not counted` : counted(size, noun);
  });
  const isHinted = count("hint") > 0;
  const warnings = `${counted(count("warning"), "warning")}${isHinted ? ` and ${counted(count("hint"), "hint")}` : ""}`;
  const size = `(${sizes.join(", ")})`;
  const overview = tables === null ? "" : overviewText(tables);
  const empty =
    unread.length === 0 ? "" : `Not read because of errors, so empty here: ${unread.join(", ")}.\n\n`;
  const before = `${findings}${overview}${statusTable(statuses ?? [])}${empty}`;
  // This comes first: a source from which nothing would be published is never called right (P103).
  if (published === 0) {
    const found = isBroken ? `${errors}, ${warnings}` : warnings;
    return `${before}Nothing would be published: ${found} ${size}.\n`;
  }
  if (isBroken) return `${before}The contract is broken: ${errors}, ${warnings} ${size}.\n`;
  if (count("warning") === 0 && !isHinted) return `${before}The source keeps the contract ${size}.\n`;
  if (problems.some(({ code }) => hidingCodes.includes(code))) {
    return `${before}The source may not show all that it should: ${warnings} ${size}.\n`;
  }
  return `${before}The source keeps the contract, with ${warnings} ${size}.\n`;
}

const maxTenants = 20;

/** D137: what the rows come to. A table without a row is left out. */
function overviewText({ states, currencies, tenants }: SourceTables): string {
  const shown = tenants.slice(0, maxTenants);
  const more = tenants.length - shown.length;
  return [
    factTable(states),
    factTable(currencies),
    factTable(shown.map(({ rows, ...facts }) => facts)),
    factTable(shown.map(({ tenantId, rows: { tenants, ...rows } }) => ({ tenantId, ...rows }))),
    more > 0 ? `${counted(more, "smaller tenant")} not shown (see --json).\n\n` : "",
  ].join("");
}

/** The first column names what the others count. */
function factTable(facts: readonly Readonly<Record<string, string | number | null>>[]): string {
  if (facts.length === 0) return "";
  const keys = [...new Set(facts.flatMap(Object.keys))];
  const titles = keys.map((key) => key.replace(/[A-Z]/g, " $&").toUpperCase());
  // States and statuses are foreign text, which may even have the codes of our own colours.
  const rows = facts.map((fact) => keys.map((key) => printable(String(fact[key] ?? "-"))));
  return `${table([titles[0] ?? "", ...titles.slice(1).map(numbers)], rows)}\n`;
}

/** Which enrollments take a place is for people to judge, so all statuses are shown. */
function statusTable(statuses: NonNullable<SourceReport["statuses"]>): string {
  if (statuses.length === 0) return "";
  const facts = statuses.map(({ status, isStaff, count, takesPlace }) => {
    const enrollmentStatus = `${status ?? "NULL"}${isStaff ? " (staff)" : ""}`;
    return { enrollmentStatus, count, takesAPlace: takesPlace ? "yes" : "no" };
  });
  return `${factTable(facts)}Those of TERMINAL_ENROLLMENT_STATUSES, and staff, take no place.\n\n`;
}

/** `source preview`: what would be published, without a store. */
export const sourcePreview = command(
  {
    tenant: value("<id>", "the tenant (default: the first)", parseTenantId),
    program: value("<id>", "the program (default: the first that would be published)", sourceProgramId),
    json,
  },
  async (shell, { tenant: tenantId, program: programId, json }) => {
    const settings = settingsOf(shell);
    const found = await withSourceReading(settings, shell.signal, (client) =>
      previewSource(client, contentRules(settings), { tenantId, programId }),
    );
    const preview = { ...found, findings: withSharedAdvice(found.findings, settings) };
    printResult(shell, json, { ...preview, prices: null }, previewText(preview, layoutOf(shell)));
  },
);

/** Causes that keep rows from being seen, although no row is wrong. */
const hidingCodes: readonly string[] = ["row_security", "security_invoker"];

/** The document first, then what was dropped from it, and the findings about the whole sample last. */
export function previewText(preview: SourcePreview, layout: Layout): string {
  const { tenantId, tenants, program, programs, neverFilled, findings } = preview;
  const { style } = layout;
  const others = tenants === 1 ? "" : ` (1 of ${numberText(tenants)} tenants)`;
  if (program === null) {
    return `Tenant ${tenantId}${others} has no program in the source; \`source check\` says more.\n`;
  }
  const { total, candidates, unknown, sampled, published } = programs;
  const those = unknown === 0 ? "active programs" : "programs that are active or of an unknown state";
  const looked = `${numberText(sampled)} of its ${numberText(candidates)} ${those} looked at`;
  const none = `none of its ${numberText(total)} programs is active`;
  const size = candidates === 0 ? none : `${looked}, ${numberText(published)} would be published`;
  return [
    style.bold(`Program ${shownId(program.programId)} of tenant ${tenantId}${others}`),
    "\n",
    ...programLines(program, layout).map((line) => `${line}\n`),
    `\n${style.bold(`Tenant ${tenantId}: ${size}`)}\n`,
    emptyFields(preview),
    findings.length === 0 ? "" : `\n${problemReport(findings, layout)}`,
    neverFilled.length === 0 && findings.length === 0 && published > 0 ? "Nothing was dropped.\n" : "",
  ].join("");
}

function programLines(program: ProgramPreview, layout: Layout): string[] {
  const { outcome, state, document, problems } = program;
  const { style, width } = layout;
  const problemLines = problems.flatMap((problem) => wrapped(`  - ${problemText(problem)}`, width));
  if (outcome === "unpublished") {
    const why = `its state is ${printable(state ?? "")}, and only active programs are.`;
    return [style.doubtful(`Not published: ${why}`)];
  }
  if (outcome === "invalid") {
    return [style.bad("Not published, because it breaks a rule:"), ...problemLines];
  }
  const whole = "All that the views give of it is published.";
  const dropped = problemLines.length === 0 ? [whole] : ["Dropped or blanked:", ...problemLines];
  return [...printableJson(document).split("\n"), "", ...priceLines(program), ...dropped];
}

function priceLines({ roomPrices }: ProgramPreview): readonly string[] {
  if (roomPrices.length === 0) return [];
  const rows = roomPrices.map(({ view, occupancy, amount, published }) => [
    view === "programs" ? "programs.legacy_price" : view,
    view === "programs" ? "" : String(occupancy ?? "NULL"),
    amount ?? "NULL",
    published === null ? "dropped" : `${published.amount} for occupancy ${published.occupancy}`,
  ]);
  return table(["ROOM PRICE IN", numbers("OCCUPANCY"), numbers("AMOUNT"), "PUBLISHED"], rows).split("\n");
}

function emptyFields({ neverFilled }: SourcePreview): string {
  if (neverFilled.length === 0) return "";
  const rows = neverFilled.map(({ field, view, column }) => {
    return [field, [view, column].filter((part) => part !== null).join(".")];
  });
  return `Never filled in any of them:\n\n${table(["PUBLIC FIELD", "COMES FROM"], rows)}`;
}

/** The problems for people, grouped by view, each with its fix; a fix that several share is shown once. */
function problemReport(problems: readonly SourceProblem[], layout: Layout): string {
  const views = [...new Set(problems.map(({ view }) => view))];
  return views
    .map((view) => {
      const own = problems.filter((problem) => problem.view === view);
      const title = layout.style.bold(`partner_source${view === null ? "" : `.${view}`}`);
      return [title, ...own.flatMap((problem, at) => problemLines(problem, own[at + 1], layout))];
    })
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function problemLines(
  problem: SourceProblem,
  next: SourceProblem | undefined,
  { width, style }: Layout,
): readonly string[] {
  const { severity, code, column, message, fix, examples } = problem;
  const mark = { error: style.bad("error  "), warning: style.doubtful("warning"), hint: "hint   " }[severity];
  const head = `  ${mark} ${code}${column === null ? "" : ` (${printable(column)})`}`;
  const more = examples.length - maxShown;
  const isShared = next?.fix.text === fix.text;
  return [
    head,
    ...wrapped(`    ${printable(message)}`, width),
    ...examples.slice(0, maxShown).map((example) => style.faint(`      ${exampleText(example)}`)),
    ...(more > 0 ? [style.faint(`      and ${counted(more, "other value")} (see --json)`)] : []),
    ...(isShared ? [] : fixLines(fix)),
  ];
}

/** So many values are shown; `--json` has more. */
const maxShown = 5;

/** A value with its count and first program, `inactive (8): acme / P1, ...`, or a tenant's words. */
function exampleText({ tenantId, programId, value, count }: ProblemExample): string {
  const shown = value === null ? "NULL" : printable(value);
  const place = [tenantId, programId].map((id) => (id === null ? "NULL" : shownId(id)));
  const where = programId === null ? place[0] : place.join(" / ");
  if (count === undefined) return `${where}: ${shown}`;
  if (tenantId === null && programId === null) return `${shown} (${numberText(count)})`;
  if (value !== null && value === programId && count === 1) return where ?? shown;
  return `${shown} (${numberText(count)}): ${where}${count > 1 ? ", ..." : ""}`;
}
