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

/** What happens between two builds, or how the next one is made. */
export type Step =
  | {
      readonly kind: "add";
      readonly id: string | null;
      readonly name: string | null;
      readonly state: string | null;
    }
  | { readonly kind: "remove"; readonly id: string | null }
  | { readonly kind: "state"; readonly id: string | null; readonly state: string | null }
  | { readonly kind: "date"; readonly id: string | null; readonly date: string | null }
  | { readonly kind: "currency"; readonly id: string | null; readonly currency: string }
  | { readonly kind: "price"; readonly id: string | null; readonly amount: string }
  | { readonly kind: "faq"; readonly id: string | null; readonly answer: string | null }
  | { readonly kind: "moved child"; readonly from: string | null; readonly to: string | null }
  | { readonly kind: "damage"; readonly what: "memory" | "list"; readonly how: "gone" | "cut" | "changed" }
  | {
      readonly kind: "foreign memory" | "rollback" | "release" | "rewrite" | "setting" | "build";
    };

const record = fc.record as <Kind extends string, Rest extends object>(
  model: { [Key in keyof Rest]: fc.Arbitrary<Rest[Key]> } & { kind: fc.Arbitrary<Kind> },
) => fc.Arbitrary<Rest & { kind: Kind }>;
const kind = <Kind extends string>(name: Kind): fc.Arbitrary<Kind> => fc.constant(name);
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: record({ kind: kind("add"), id: anyId, name: anyName, state: anyState }) },
  { weight: 2, arbitrary: record({ kind: kind("remove"), id: anyId }) },
  { weight: 3, arbitrary: record({ kind: kind("state"), id: anyId, state: anyState }) },
  { weight: 2, arbitrary: record({ kind: kind("date"), id: anyId, date: anyDate }) },
  {
    weight: 2,
    arbitrary: record({ kind: kind("currency"), id: anyId, currency: fc.constantFrom("EUR", "euro") }),
  },
  {
    weight: 2,
    arbitrary: record({ kind: kind("price"), id: anyId, amount: fc.constantFrom("10", "0", "NaN") }),
  },
  {
    weight: 2,
    arbitrary: record({ kind: kind("faq"), id: anyId, answer: fc.constantFrom("yes", " ", null) }),
  },
  { weight: 1, arbitrary: record({ kind: kind("moved child"), from: anyId, to: anyId }) },
  {
    weight: 1,
    arbitrary: record({
      kind: kind("damage"),
      what: fc.constantFrom("memory" as const, "list" as const),
      how: fc.constantFrom("gone" as const, "cut" as const, "changed" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      kind: fc.constantFrom("foreign memory", "rollback", "release", "rewrite", "setting"),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 8,
    arbitrary: record({ kind: kind("build") }) as fc.Arbitrary<Step>,
  },
);
