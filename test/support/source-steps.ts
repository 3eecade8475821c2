import fc from "fast-check";

/** Well-formed ids in another order than they were made, two that differ in case, and ids that break the contract. */
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

/** What happens between two builds, or how the next one is made. */
export const anyStep = fc.oneof(
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
