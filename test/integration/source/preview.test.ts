import { existsSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");

beforeEach(async () => {
  await bench.insertPrograms(
    "acme",
    { program_id: "a", name: " ", description: "Lost" },
    {
      program_id: "b",
      departure_date: "2027-05-01",
      return_date: "2027-04-01",
      currency: "?",
      cover_url: "http://plain.example/x.jpg",
      visits: ["Lech", "Zürs \u2028"],
    },
    { program_id: "c", lifecycle_state: "draft" },
  );
  await bench.insertRows(
    "room_prices",
    "acme",
    "b",
    { occupancy: 2, amount: "99.50" },
    { occupancy: 0, amount: 1 },
  );
});

/** There is no store, and none comes to be. */
async function preview(...args: string[]) {
  const missing = `${bench.storeDirectory}-none`;
  const env = { DATABASE_URL: bench.env.DATABASE_URL, STORE_URL: `file:${missing}` };
  const result = await runCommand(["source", "preview", ...args], { env });
  expect(existsSync(missing)).toBe(false);
  return result;
}

test("P106 the preview is what a build publishes, to the byte once formatted, with the same findings", async () => {
  const { report } = await bench.build(["--on-invalid", "skip"]);
  const { stdout: body } = await bench.run([
    "snapshot",
    "show",
    "--tenant",
    "acme",
    "--program",
    "b",
    "--raw",
  ]);
  const formatted = JSON.stringify(JSON.parse(body), null, 2);
  expect(JSON.stringify(JSON.parse(formatted))).toBe(body);
  const previewed = JSON.parse((await preview("--tenant", "acme", "--json")).stdout);
  expect(previewed.program).toMatchObject({ programId: "b", outcome: "published" });
  expect(JSON.stringify(previewed.program.document, null, 2)).toBe(formatted);
  const built = report.tenants.find(({ tenantId }) => tenantId === "acme")?.problems ?? [];
  expect(previewed.program.problems).toEqual(built.filter(({ programId }) => programId === "b"));
  expect(previewed.program.problems.length).toBeGreaterThan(2);
  const codes = previewed.findings.flatMap(
    ({ code, examples }: { code: string; examples: readonly object[] }) => examples.map(() => code),
  );
  expect(codes.sort()).toEqual(built.map(({ code }) => code).sort());
});

test("P106 people read the document, what was dropped in words, and what is never filled", async () => {
  const { status, stdout, stderr } = await preview();
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    /^Program b of tenant acme \(1 of 2 tenants\)\n\{\n {2}"data": \{\n {4}"id": "b",\n/,
  );
  expect(stdout).toContain("return before departure");
  expect(stdout).toContain("(url_dropped, media.coverUrl)");
  expect(stdout).toContain("Tenant acme: 2 of its 2 active programs looked at, 1 would be published\n");
  expect(stdout).toMatch(/^departurePoint +programs\.departure_point$/m);
  expect(stdout).toMatch(/^hotels +hotel_stays$/m);
  expect(stdout).toMatch(/^category +programs\.category_type$/m);
  expect(stdout).not.toMatch(/^(hotels\[\]|prices\.rooms|content\.visits|name) /m);
});

test("D133 room prices stand beside what is published of them, the legacy price where it stands in", async () => {
  await bench.insertRows("room_prices", "acme", "b", { occupancy: 2, amount: "99.50" }, { amount: 5 });
  const { stdout } = await preview("--tenant", "acme", "--program", "b");
  expect(stdout.split("\n").filter((line) => /^room_prices|^ROOM/.test(line))).toEqual([
    "ROOM PRICE IN  OCCUPANCY  AMOUNT  PUBLISHED",
    "room_prices            0       1  dropped",
    "room_prices            2   99.50  99.5 for occupancy 2",
    "room_prices            2   99.50  99.5 for occupancy 2",
    "room_prices         NULL       5  dropped",
  ]);
  await bench.insertPrograms("beta", { program_id: "l", legacy_price: "990.0" }, "none");
  expect((await preview("--tenant", "beta", "--program", "l")).stdout).toMatch(
    /^programs\.legacy_price +990\.0 +990 for occupancy 2$/m,
  );
  const json = JSON.parse((await preview("--tenant", "beta", "--program", "l", "--json")).stdout);
  expect(json.program.roomPrices).toEqual([
    { view: "programs", occupancy: null, amount: "990.0", published: { occupancy: 2, amount: 990 } },
  ]);
  expect((await preview("--tenant", "beta", "--program", "none")).stdout).not.toContain("ROOM PRICE");
});

test("a program that is not published says why, by name or as the only one", async () => {
  const draft = await preview("--tenant", "acme", "--program", "c");
  expect(draft.status).toBe(0);
  expect(draft.stdout).toMatch(/^Not published: .* draft, /m);
  const invalid = await preview("--program", "a");
  expect(invalid.stdout).toMatch(/^Not published, .*:\n {2}- It has no name/m);
  expect((await preview("--tenant", "beta")).stdout).toMatch(
    /^Tenant beta \(1 of 2 .* no program .*`source check`/,
  );
});

test("a program that is not there is exit 1, with one of that id elsewhere", async () => {
  await bench.insertPrograms("beta", "z");
  const { status, stderr } = await preview("--tenant", "acme", "--program", "z");
  expect(status).toBe(1);
  expect(stderr).toContain("Tenant acme has no program z in the source. There is z of tenant beta.");
});
