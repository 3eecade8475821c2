import { beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../core/store/object-body.ts";
import { runCli } from "../../support/run-cli.ts";
import { freshWorkbench, parsedReport, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench();

beforeEach(async () => {
  for (const tenantId of ["acme", "beta"]) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertPrograms(tenantId, "good");
  }
});

const kb = 1024;
/** Values of up to 2 KB, programs of up to 8 KB. */
const env = { MAX_VALUE_KB: "2", MAX_PROGRAM_KB: "8" };

/** The errors of the tenant `acme` as `code program field = value`, after a build that leaves them out. */
async function errors(): Promise<readonly string[]> {
  const { report } = await bench.build(["--on-invalid", "skip"], { env });
  expect(tenantRun(report, "beta")).toMatchObject({ outcome: "published", counts: { programs: 1 } });
  const { outcome, counts, problems } = tenantRun(report, "acme");
  expect({ outcome, programs: counts.programs }).toEqual({ outcome: "published", programs: 1 });
  return problems
    .filter(({ severity }) => severity === "error")
    .map(({ code, programId, field, value }) => `${code} ${programId} ${field} = ${value}`);
}

/** Text that PostgreSQL cannot compress. */
const noise = (seed: number, bytes: number): string => {
  let text = "";
  while (text.length < bytes) text += sha256Hex(Buffer.from(`${seed} ${text.length}`));
  return text.slice(0, bytes);
};
const long = (bytes: number): string => "x".repeat(bytes);

describe("D37 a value that is larger than MAX_VALUE_KB", () => {
  test("is an error of its program alone", async () => {
    await bench.insertPrograms("acme", { program_id: "p", cover_url: long(2 * kb + 1) });
    expect(await errors()).toEqual([
      "value_too_large p media.coverUrl = programs.cover_url: 2049 bytes, limit 2048",
    ]);
  });

  test.each([
    ["one element", [long(2 * kb)], 2 * kb + 16],
    ["one element that is a byte too long", [long(2 * kb - 15)], 2 * kb + 1],
  ])("a list of %s is, too", async (_, gallery, bytes) => {
    await bench.insertPrograms("acme", { program_id: "p", gallery_urls: gallery });
    expect(await errors()).toEqual([
      `value_too_large p media.galleryUrls = programs.gallery_urls: ${bytes} bytes, limit 2048`,
    ]);
  });

  test("in one of many rows is, too", async () => {
    await bench.insertPrograms("acme", "p");
    await bench.insertRows("faq", "acme", "p", { answer: "x" }, { answer: long(3 * kb) }, { answer: "y" });
    expect(await errors()).toEqual([
      `value_too_large p content.faq = faq.answer: ${3 * kb} bytes, limit 2048`,
    ]);
  });

  test("a number of thousands of digits is, too", async () => {
    await bench.insertPrograms("acme", "p");
    await bench.insertRows("room_prices", "acme", "p", { occupancy: 2, amount: "9".repeat(3000) });
    expect(await errors()).toEqual([
      "value_too_large p prices.rooms = room_prices.amount: 3000 bytes, limit 2048",
    ]);
  });

  test("an id is ill-formed, whatever its size", async () => {
    await bench.insertPrograms("acme", { program_id: long(3 * kb), name: "Tour" });
    await bench.insertRows("faq", "acme", long(3 * kb), { question: "Q", answer: "A" });
    expect(await errors()).toEqual([expect.stringMatching(/^program_id_invalid x{1000,} id = x{59}…$/)]);
  });

  test("that is exactly as large as allowed is published", async () => {
    await bench.source.query("DELETE FROM partner_source.programs WHERE tenant_id = 'acme'");
    // In the other list each text is another one: what is stored uncompressed takes more room than what
    // counts.
    const tags = Array.from({ length: 2 }, (_, at) => noise(at, kb - 16));
    await bench.insertPrograms("acme", {
      program_id: "p",
      description: long(2 * kb),
      marketing_tags: tags,
      included: [noise(7, 2 * kb - 16)],
    });
    expect(await errors()).toEqual([]);
    const detail = (await bench.published("acme")).details.get("p");
    expect(detail?.description).toHaveLength(2 * kb);
    expect(detail?.marketingTags).toEqual(tags);
  });
});

describe("D37 a program that is larger than MAX_PROGRAM_KB", () => {
  test("by its own values is an error of it alone", async () => {
    const values = ["description", "departure_point", "guide_name", "accommodation_description", "name"];
    const fields = Object.fromEntries(values.map((name) => [name, long(2 * kb)]));
    await bench.insertPrograms("acme", { program_id: "p", ...fields });
    expect(await errors()).toEqual([
      expect.stringMatching(/^program_too_large p null = programs: 10\d{3} bytes, limit 8192$/),
    ]);
  });

  test("only as JSON is, too", async () => {
    await bench.insertPrograms("acme", "p");
    // Each stay is published twice, with the names of its keys.
    await bench.source.query(
      "INSERT INTO partner_source.hotel_stays SELECT 'acme', 'p', n, 'Inn' FROM generate_series(1, 100) AS n",
    );
    expect(await errors()).toEqual([
      expect.stringMatching(/^program_too_large p null = JSON: 1\d{4} bytes, limit 8192$/),
    ]);
  });
});

describe("D37 a tenant whose lists are larger than MAX_LIST_MB", () => {
  const small = { MAX_LIST_MB: "1" };
  const insertLongNames = (count: number) =>
    bench.source.query(`
      INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
      SELECT 'acme', 'long-' || n, repeat('x', 60000), 'active' FROM generate_series(1, ${count}) AS n`);

  beforeEach(async () => {
    await bench.insertPrograms("acme", "cancelled-later");
    await bench.build();
    await insertLongNames(10);
    await bench.source.update("lifecycle_state = 'cancelled'", "cancelled-later");
  });

  test("stays as it is but for its withdrawals, and leaves the other tenants alone", async () => {
    await bench.insertPrograms("beta", "new");
    const { status, report, stdout } = await bench.build([], { env: small });
    expect(status).toBe(3);
    expect(tenantRun(report, "beta")).toMatchObject({ outcome: "published", livePrograms: 2 });
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "failed",
      livePrograms: 1,
      failure: { code: "tenant_too_large", message: expect.stringContaining("raise MAX_LIST_MB") },
    });
    expect(stdout).toContain("MAX_LIST_MB");
    const { list, legacy, details } = await bench.published("acme");
    expect(list.data.map(({ id }) => id)).toEqual(["good"]);
    expect(legacy.programs).toHaveLength(1);
    expect([...details.keys()]).toEqual(["good"]);
  });
});

test("programs just below the limits are published in a heap that holds a fraction of them", async () => {
  await bench.source.query(`
    INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, description)
    SELECT 'acme', 'large-' || n, 'Tour', 'active', repeat('x', 1000 * 1024) FROM generate_series(1, 40) AS n`);
  const large = { ...bench.env, NODE_OPTIONS: "--max-old-space-size=48", LOG_LEVEL: "silent" };
  const { status, stdout } = await runCli(["snapshot", "build", "--json"], { env: large });
  expect([status, tenantRun(parsedReport(stdout), "acme").counts.programs]).toEqual([0, 41]);
});

test("P217 ids, names and states of any length leave every report, finding and message short", async () => {
  const text = long(300_000);
  await bench.source.insert("tenants", { tenant_id: text, name: text }, { tenant_id: "gamma", name: text });
  await bench.insertPrograms("acme", { program_id: text }, { program_id: `${text}y`, name: text.repeat(5) });
  await bench.insertPrograms("acme", { program_id: "p", name: text, lifecycle_state: text });
  await bench.insertPrograms(`${text}z`, { program_id: text, lifecycle_state: text });
  await bench.insertRows("faq", "acme", `${text}z`, { question: text });
  await bench.insertRows("faq", text, "p", { question: text });
  await bench.insertRows("enrollments", "acme", "good", { status: text, role: text });
  for (const [args, most] of [
    [["snapshot", "build", "--json"], 30_000],
    [["snapshot", "build"], 30_000],
    [["source", "check", "--json"], 30_000],
    [["source", "check"], 30_000],
    [["source", "preview", "--tenant", "acme", "--json"], 60_000],
    [["tenant", "list", "--json"], 10_000],
    [["snapshot", "status", "--json"], 60_000],
    [["snapshot", "explain", "--tenant", "acme", "p"], 10_000],
  ] as const) {
    const { stdout, stderr } = await bench.run(args);
    expect([args.join(" "), stdout.length < most, stderr.length < most]).toEqual([
      args.join(" "),
      true,
      true,
    ]);
  }
});
