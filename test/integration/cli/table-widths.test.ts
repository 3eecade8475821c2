import { beforeAll, describe, expect, test } from "vitest";
import { displayWidth } from "../../../cli/output/display-width.ts";
import { useWorkbench } from "../../support/workbench.ts";

/** Ids as they are, and as long as they may be. */
const usual = "alpine-walks";
const longest = `tenant-${"x".repeat(57)}`;
const longProgram = `ALPS-2027-${"0123456789".repeat(11)}-long`;
const now = new Date("2026-11-21T12:00:00.000Z");

/** Every command that prints a table. */
const tables: readonly (readonly string[])[] = [
  ["snapshot", "build"],
  ["snapshot", "status"],
  ["snapshot", "list", "--tenant", usual],
  ["snapshot", "show", "--tenant", usual],
  ["snapshot", "diff", "--tenant", usual],
  ["snapshot", "verify"],
  ["snapshot", "prune", "--dry-run"],
  ["token", "list"],
  ["token", "usage", "--log", "-"],
  ["token", "usage", "--all", "--log", "-"],
  ["config"],
];

const bench = useWorkbench();
let log = "";

beforeAll(async () => {
  await bench.source.insert("tenants", { tenant_id: usual }, { tenant_id: longest });
  await bench.insertPrograms(usual, "ALPS-2027-0001", {
    program_id: longProgram,
    cover_url: "http://plain.example/a",
  });
  await bench.insertPrograms(longest, "a");
  await bench.build([], { now: new Date("2026-11-19T12:00:00.000Z") });
  await bench.source.query(
    "UPDATE partner_source.programs SET name = 'Along the ridge, ten days, with a guide who knows the way'",
  );
  await bench.build([], { now: new Date("2026-11-20T12:00:00.000Z") });
  const tokenIds: string[] = [];
  for (const [tenant, name] of [
    [usual, "Globetrotter Reisen GmbH, Produktion"],
    [longest, "x".repeat(90)],
  ] as const) {
    const args = ["token", "create", "--tenant", tenant, "--name", name, "--expires", "90d", "--json"];
    tokenIds.push(JSON.parse((await bench.run(args, { now })).stdout).tokenId);
  }
  log = tokenIds
    .map((tokenId, at) => {
      const [time, tenantId] = ["2026-11-21T11:00:00.000Z", at === 0 ? usual : longest];
      const request = { level: "info", time, program: "gateway", msg: "request", requestId: `r-${at}` };
      return `${JSON.stringify({ ...request, route: "list", status: 200, tokenId, tenantId, durationMs: 1, bytes: 9 })}\n`;
    })
    .join("");
});

describe.each([60, 80, 120])("on a terminal of %i columns", (columns) => {
  test.each(tables)("P81 %s %s breaks no word", async (...args) => {
    const env = {
      TERMINAL_ENROLLMENT_STATUSES: "cancelled,refunded,no_show,withdrawn,declined,expired",
      NO_COLOR: "1",
      LOG_LEVEL: "silent",
    };
    const options = { now, env, stdin: log };
    const narrow = await bench.run(args, { ...options, columns });
    expect(narrow.stderr).toBe("");
    expect(narrow.stdout).not.toBe("");
    // What is wider is one word, and nothing stands beside it.
    const over = narrow.stdout.split("\n").filter((line) => displayWidth(line) > columns);
    expect(over.filter((line) => line.trim().includes(" "))).toEqual([]);
    // Nothing of what a pipe gets is missing.
    const wide = await bench.run(args, options);
    const shown = new Set(words(narrow.stdout));
    expect(words(wide.stdout).filter((word) => !shown.has(word) && !/^\d+\.\d$/.test(word))).toEqual([]);
  });
});

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word) && !/^[A-Z]+$/.test(word));
}

test("P81 on a pipe each tenant is one line, however long its id", async () => {
  const { stdout } = await bench.run(["snapshot", "status"], { now });
  expect(stdout.split("\n").filter((line) => line.startsWith(longest))).toHaveLength(1);
  expect(stdout).toMatch(new RegExp(`^${longest} .* unchanged|published .*$`, "m"));
});
