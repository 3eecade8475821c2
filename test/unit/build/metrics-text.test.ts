import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EndedRun, metricsText } from "../../../cli/publish/report/metrics-text.ts";

const round: EndedRun = {
  kind: "round",
  outcome: "published",
  durationMs: 1500,
  endedAtMs: 1_800_000_000_000,
  confirmedAtMs: new Map([
    ["acme", 1_799_999_999_000],
    ["beta", 1_799_999_999_500],
  ]),
  listed: new Set(["acme", "beta"]),
  storeBegunAtMs: undefined,
};
const failed: EndedRun = {
  ...round,
  outcome: "failed",
  endedAtMs: 1_800_000_600_000,
  confirmedAtMs: new Map(),
  listed: undefined,
};

const valueIn = (text: string, sample: string): number | undefined => {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length));
};
const runs = (text: string, outcome: string): number | undefined =>
  valueIn(text, `builder_runs_total{outcome="${outcome}"}`);
const confirmed = (text: string, tenant: string): number | undefined =>
  valueIn(text, `builder_tenant_confirmed_timestamp_seconds{tenant="${tenant}"}`);

describe("the text of a metrics file", () => {
  test("P115 keeps when this builder began a new store, and is 0 while it never did", () => {
    const begunAt = (text: string) => valueIn(text, "builder_store_begun_timestamp_seconds");
    const before = metricsText("", round);
    const begun = metricsText(before, { ...round, storeBegunAtMs: 1_800_000_000_500 });
    expect([before, begun, metricsText(begun, failed)].map(begunAt)).toEqual([
      0, 1_800_000_000.5, 1_800_000_000.5,
    ]);
  });

  test("P115 begins every outcome at 0, so that the first failure is an increase", () => {
    const text = metricsText("", round);
    expect([runs(text, "published"), runs(text, "failed"), runs(text, "refused")]).toEqual([1, 0, 0]);
  });

  test("P115 counts on from what the file has of earlier runs", () => {
    const text = [round, failed, failed].reduce(metricsText, "");
    expect([runs(text, "published"), runs(text, "failed")]).toEqual([1, 2]);
    expect(valueIn(text, 'builder_run_duration_seconds_count{kind="round"}')).toBe(3);
    expect(valueIn(text, 'builder_run_duration_seconds_sum{kind="round"}')).toBe(4.5);
    expect(valueIn(text, 'builder_run_duration_seconds_bucket{le="1",kind="round"}')).toBe(0);
    expect(valueIn(text, 'builder_run_duration_seconds_bucket{le="2",kind="round"}')).toBe(3);
  });

  test("P115 a tenant that a run does not confirm keeps the time at which an earlier one did", () => {
    const text = metricsText(metricsText("", round), failed);
    expect(confirmed(text, "acme")).toBe(1_799_999_999);
    const later = { ...round, confirmedAtMs: new Map([["beta", 1_800_000_900_000]]) };
    const mixed = metricsText(text, later);
    expect([confirmed(mixed, "acme"), confirmed(mixed, "beta")]).toEqual([1_799_999_999, 1_800_000_900]);
  });

  test("P115 a tenant that the source no longer lists leaves it", () => {
    const text = metricsText(metricsText("", round), { ...round, listed: new Set(["beta"]) });
    expect(confirmed(metricsText("", round), "acme")).toBeDefined();
    // Confirmed by that very run, or else gone.
    const gone = metricsText(text, { ...round, listed: new Set(["beta"]), confirmedAtMs: new Map() });
    expect([confirmed(gone, "acme"), confirmed(gone, "beta")]).toEqual([undefined, 1_799_999_999.5]);
  });

  test("has status and time of the last run of each kind, of none that never ran", () => {
    const asked: EndedRun = { ...failed, kind: "asked", outcome: "refused" };
    const text = metricsText(metricsText("", round), asked);
    const status = (kind: string, outcome: string) =>
      valueIn(text, `builder_last_run_status{kind="${kind}",outcome="${outcome}"}`);
    expect([status("round", "published"), status("round", "refused")]).toEqual([1, 0]);
    expect([status("asked", "published"), status("asked", "refused")]).toEqual([0, 1]);
    expect(valueIn(text, 'builder_last_run_timestamp_seconds{kind="round"}')).toBe(1_800_000_000);
    expect(metricsText("", round)).not.toContain('builder_last_run_timestamp_seconds{kind="asked"}');
  });

  test("has at most 1000 tenants, those that were confirmed the longest ago", () => {
    const tenants = Array.from({ length: 1200 }, (_, at) => [`t${at}`, 1000 * (1200 - at)] as const);
    const text = metricsText("", { ...round, confirmedAtMs: new Map(tenants), listed: undefined });
    const listed = [...text.matchAll(/^builder_tenant_confirmed_timestamp_seconds\{tenant="(\w+)"\}/gm)];
    expect(listed).toHaveLength(1000);
    expect([listed[0]?.[1], listed.at(-1)?.[1]]).toEqual(["t1199", "t200"]);
  });

  test("P115 a tenant that is not among them keeps its time, too, and is shown once the others are ahead of it", () => {
    const tenants = Array.from({ length: 1200 }, (_, at) => [`t${at}`, 1000 * (1 + at)] as const);
    const first = metricsText("", { ...round, confirmedAtMs: new Map(tenants), listed: undefined });
    expect(confirmed(first, "t1100")).toBeUndefined();
    const later = tenants
      .filter(([tenant]) => tenant !== "t1100")
      .map(([tenant]) => [tenant, 9_000_000] as const);
    const text = metricsText(first, { ...round, confirmedAtMs: new Map(later), listed: undefined });
    expect(confirmed(text, "t1100")).toBe(1101);
    const gone = metricsText(text, { ...round, confirmedAtMs: new Map(), listed: new Set(["t1"]) });
    expect([confirmed(gone, "t1100"), gone.includes("t1100")]).toEqual([undefined, false]);
  });

  test("is well formed whatever was in the file", () => {
    const line =
      /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"{}]+"(,[a-z]+="[^"{}]+")*\})? [0-9]+(\.[0-9]+)?)$/;
    const broken = fc.oneof(
      fc.string({ unit: "binary" }),
      fc
        .tuple(fc.string(), fc.constantFrom("NaN", "-3", "1e999", "x", "", "+Inf", "."))
        .map(([label, value]) => `builder_runs_total{outcome="${label}"} ${value}\n`),
      fc.string().map((tenant) => `builder_tenant_confirmed_timestamp_seconds{tenant="${tenant}"} 5\n`),
    );
    fc.assert(
      fc.property(fc.array(broken), (lines) => {
        const text = metricsText(lines.join("\n"), { ...round, listed: undefined });
        expect(text.endsWith("\n")).toBe(true);
        for (const each of text.trimEnd().split("\n")) expect(each).toMatch(line);
        expect(runs(text, "failed")).toBe(0);
      }),
    );
  });
});
