import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changedSince } from "../../../gateway/request/respond.ts";
import { sized } from "../../support/quick-pass.ts";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

const programs = ["p-1", "p-2", "p-3", "p-4", "p-5", "p-6"] as const;
const row = fc.constantFrom(...programs);

/** What happens to a tenant: in its source, and by command. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ edit: row, text: fc.constantFrom("a", "b", "c") }) },
  { weight: 2, arbitrary: fc.record({ state: fc.constantFrom("active", "cancelled"), of: row }) },
  { weight: 6, arbitrary: fc.constant("build" as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom("rewrite", "rollback", "release", "prune", "lose pointer", "remove" as const),
  },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const tenant = ["--tenant", "acme"];

/** Any exit status will do: a rollback may have nothing to go back to, and a guard may refuse. */
async function take(one: Step): Promise<void> {
  const where = "WHERE tenant_id = 'acme' AND program_id = $1";
  if (typeof one === "object") {
    const { source } = bench;
    if ("edit" in one)
      return await source.query(`UPDATE partner_source.programs SET description = $2 ${where}`, [
        one.edit,
        one.text,
      ]);
    return await source.query(`UPDATE partner_source.programs SET lifecycle_state = $2 ${where}`, [
      one.of,
      one.state,
    ]);
  }
  switch (one) {
    case "build":
      await bench.run(["snapshot", "build"]);
      return;
    case "rewrite":
      await bench.run(["snapshot", "build", "--rewrite"]);
      return;
    case "rollback":
      await bench.run(["snapshot", "rollback", ...tenant, "--allow-shrink"]);
      return;
    case "release":
      await bench.run(["snapshot", "release", ...tenant]);
      return;
    case "prune":
      await bench.run(["snapshot", "prune", ...tenant, "--keep", "2", "--min-age", "0"]);
      return;
    case "lose pointer":
      await rm(join(bench.storeDirectory, "tenants/acme/current.json"), { force: true });
      await bench.run(["snapshot", "build"]);
      return;
    case "remove":
      await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'acme'");
      await bench.run(["tenant", "remove", "acme", "--purge"]);
      await bench.source.insert("tenants", { tenant_id: "acme" });
      await bench.run(["snapshot", "build"]);
  }
}

test("W180 whatever happened to a tenant, an earlier copy with the changed details is the live snapshot, or nothing is said", async () => {
  let said = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
      await bench.reset();
      // A second tenant, since a run whose source lists none fails.
      await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
      await bench.insertPrograms("acme", ...programs);
      await bench.run(["snapshot", "build"]);
      const copies = new Map<string, ReadonlyMap<string, string>>();
      for (const one of steps) {
        await take(one);
        const { manifest, details } = await bench.published("acme");
        const live = new Map([...details].map(([id, detail]) => [id, JSON.stringify(detail)] as const));
        copies.set(manifest.snapshotId, live);
        for (const [earlier, copy] of copies) {
          const changed = changedSince(manifest, earlier as typeof manifest.snapshotId);
          if (changed === "*") continue;
          said += 1;
          const due = new Set(changed.split(","));
          for (const [id, detail] of live) if (!due.has(id)) expect(copy.get(id)).toBe(detail);
        }
      }
    }),
    { numRuns: sized({ whole: 20, quick: 8 }) },
  );
  expect(said).toBeGreaterThan(50);
});
