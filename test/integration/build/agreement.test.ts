import { describe, expect, test } from "vitest";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench("acme", "beta");

/** A program with so many findings: each of its gallery's addresses is dropped with a warning. */
const withFindings = (program_id: string, findings: number) => ({
  program_id,
  gallery_urls: Array.from({ length: findings }, (_, at) => `http://pictures.example/${at}`),
});

/** The list, the legacy list and the manifest name the same programs. */
async function expectAgreement(ids: readonly string[]): Promise<void> {
  const { list, legacy, details } = await bench.published("acme");
  expect([...details.keys()].sort()).toEqual([...ids].sort());
  expect(list.data.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(list.meta.count).toBe(ids.length);
  expect(legacy.programs.map(({ name }) => name).sort()).toEqual(list.data.map(({ name }) => name).sort());
}

/** What may happen to a program; all of these take it out. */
const ends = {
  deleted: "DELETE FROM partner_source.programs WHERE program_id = 'odd'",
  moved: "UPDATE partner_source.programs SET tenant_id = 'beta' WHERE program_id = 'odd'",
  ended: "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'odd'",
  faulty: "UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'odd'",
};
const plain = ["p-1", "p-2", "p-3", "p-4", "p-5", "p-6"];

/** At, below and above the most findings that the memory keeps of a program, and more than a report shows. */
describe.each([49, 50, 51, 300])("P223 a program with %i findings", (findings) => {
  test.each(Object.entries(ends))("leaves the lists to the others when it is %s", async (_, sql) => {
    await bench.insertPrograms("acme", ...plain, withFindings("odd", findings));
    await bench.build();
    await expectAgreement([...plain, "odd"]);
    await bench.source.query(sql);
    const { report } = await bench.build();
    expect(tenantRun(report, "acme").outcome).toBe("published");
    await expectAgreement(plain);
  });
});
