import fc from "fast-check";
import * as bounds from "../../cli/publish/source/limits.ts";

/**
 * Well-formed ids in another order than they were made, two that differ in case, and ids that break the
 * contract.
 */
export const anyIds: readonly string[] = Array.from({ length: 24 }, (_, at) => `p-${(at * 7) % 24}`).concat(
  "P-1",
  "no id!",
  "é",
  "x".repeat(1200),
);
const anyId = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...anyIds) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const anyState = fc.constantFrom("active", "active", "active", "draft", "CANCELLED", "ended", "lost", null);
const anyName = fc.constantFrom("Kyoto", "Lisboa ✈", "Zürich", "", " ", null);
const anyDate = fc.constantFrom("2027-01-01", "2027-02-01", "2027-02-01", "infinity", null);
const anyCurrency = fc.constantFrom("EUR", "euro");
const anyAmount = fc.constantFrom("10", "0", "NaN");
const anyAnswer = fc.constantFrom("yes", " ", null);
const anyDocument = fc.constantFrom("memory", "list");
const anyDamage = fc.constantFrom("gone", "cut", "changed");

/**
 * The bounds that are too large to be reached by rows, or that no incremental build looks at. A new bound is
 * crossed unless it stands here.
 */
const uncrossed: ReadonlySet<string> = new Set([
  "maxMemoryBytes",
  "maxRunFindings",
  "maxSpotPrograms",
  "maxChangedShare",
]);

/** Just below each bound of the generator, at it, and above it. */
const crossings = Object.entries(bounds)
  .filter(([name]) => !uncrossed.has(name))
  .flatMap(([, bound]) => [bound - 1, bound, bound + 1]);
const anyCount = fc.constantFrom(1, ...crossings.filter((value) => value < 1000));
/** The bytes of a program's rows besides the text are a few hundred. */
const anyLength = fc.constantFrom(
  ...crossings.filter((value) => value >= 1000).flatMap((value) => [value - 1000, value]),
);
const anyShare = fc.constantFrom(
  bounds.maxChangedShare / 2,
  bounds.maxChangedShare,
  2 * bounds.maxChangedShare,
  1,
);
const anyEnd = fc.constantFrom("deleted", "ended", "moved");

/** What happens between two builds, or how the next one is made. */
const anyStep = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("add"), id: anyId, name: anyName, state: anyState }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove"), id: anyId }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("state"), id: anyId, state: anyState }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("date"), id: anyId, date: anyDate }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("currency"), id: anyId, currency: anyCurrency }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("price"), id: anyId, amount: anyAmount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("faq"), id: anyId, answer: anyAnswer }) },
  // Each of the questions without an answer is a finding.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("findings"), id: anyId, count: anyCount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mended"), id: anyId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("many"), count: anyCount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("long"), id: anyId, length: anyLength }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("renamed"), share: anyShare, name: anyName }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("gone"), id: anyId, how: anyEnd }) },
  // The program is alone for the build after this one.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("alone"), id: anyId, how: anyEnd }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("moved child"), from: anyId, to: anyId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("damage"), what: anyDocument, how: anyDamage }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("foreign memory", "rollback", "release", "rewrite", "setting"),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("build") }) },
);

export type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * A program crosses a bound, is published so, and ends, with nothing else between the builds: what the memory
 * leaves out of it must not be missed. Single steps would meet this once in thousands of histories.
 */
const anyCrossing = fc
  .record({ id: fc.constantFrom(...anyIds.slice(0, 24)), count: anyCount, how: anyEnd })
  .map(({ id, count, how }): readonly Step[] => [
    { kind: "findings", id, count },
    { kind: "build" },
    { kind: "gone", id, how },
    { kind: "build" },
  ]);

/** What happens to a tenant's programs, one thing after the other. */
export const anyHistory = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: anyStep.map((step): readonly Step[] => [step]) },
      { weight: 1, arbitrary: anyCrossing },
    ),
    { minLength: 15, maxLength: 45 },
  )
  .map((parts) => parts.flat());
