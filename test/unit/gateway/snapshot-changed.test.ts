import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseProgramId, parseTenantId, type SnapshotId, snapshotId } from "../../../core/ids.ts";
import { lineFrom, type Manifest } from "../../../core/manifest.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import { responseKey } from "../../../core/object-key.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { changedSince } from "../../../gateway/respond.ts";
import { sized } from "../../support/quick-pass.ts";

const tenantId = parseTenantId("acme");

/** What a partner has of a snapshot: each program's detail. */
type Content = ReadonlyMap<string, string>;

interface Published {
  readonly manifest: Manifest;
  readonly content: Content;
}

/** As a build writes it: an unchanged program keeps the key that the live snapshot has for it. */
function built(content: Content, live: Published | undefined, ancestors: readonly SnapshotId[]): Published {
  const id = snapshotId(new Date(0), randomBytes(4));
  const programs = new ProgramTable();
  for (const [program, text] of content) {
    const kept = live?.content.get(program) === text ? live.manifest.programs.get(program) : undefined;
    const fresh = { snapshotId: id, sha256: sha256Hex(Buffer.from(text)), size: text.length };
    programs.add(parseProgramId(program), kept ?? fresh);
  }
  const list = {
    key: responseKey(tenantId, id, { kind: "list" }),
    sha256: sha256Hex(Buffer.alloc(0)),
    size: 1,
  };
  const head = { tenantId, generation: 1, snapshotId: id, parent: null, generatedAt: "", contract: "" };
  return { content, manifest: { ...head, ancestors, list, legacy: list, programs } };
}

const program = fc.constantFrom("p1", "p2", "p3", "p4", "p5");
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("build"),
      texts: fc.dictionary(program, fc.constantFrom("a", "b", "c")),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewrite") }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("rollback"), to: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("withdraw"), program }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("begin anew") }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

function next(live: Published, all: readonly Published[], one: Step): Published {
  const line = lineFrom(live.manifest);
  if ("texts" in one) {
    const texts = Object.entries(one.texts as Record<string, string>);
    return built(new Map([...live.content, ...texts]), live, line);
  }
  if ("to" in one) return all[one.to % all.length] ?? live;
  if ("program" in one) {
    const left = new Map(live.content);
    left.delete(one.program as string);
    return built(left, live, line);
  }
  return one.kind === "rewrite"
    ? built(live.content, undefined, [])
    : built(new Map([["p1", "a"]]), undefined, []);
}

test("W180 what changed and the list make the later snapshot of an earlier copy, whatever happened in between, or nothing is said", () => {
  let said = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      let live = built(
        new Map([
          ["p1", "a"],
          ["p2", "a"],
        ]),
        undefined,
        [],
      );
      const all = [live];
      for (const one of steps) {
        live = next(live, all, one);
        if (!all.includes(live)) all.push(live);
        for (const { manifest, content } of all) {
          const changed = changedSince(live.manifest, manifest.snapshotId);
          if (changed === "*") continue;
          said += 1;
          const due = new Set(changed.split(","));
          for (const [id, text] of live.content) {
            if (!due.has(id)) expect(content.get(id)).toBe(text);
          }
          for (const id of due) expect(id === "" || live.content.has(id)).toBe(true);
        }
      }
    }),
    { numRuns: sized({ whole: 5000, quick: 300 }) },
  );
  expect(said).toBeGreaterThan(1000);
});

test("W180 of too many changes, of a snapshot that is not in the line, and of a manifest without a line nothing is said", () => {
  const first = built(new Map([["p1", "a"]]), undefined, []);
  const many = new Map(Array.from({ length: 300 }, (_, at) => [`program-${at}`, "a"]));
  const second = built(many, first, lineFrom(first.manifest));
  expect(changedSince(second.manifest, first.manifest.snapshotId)).toBe("*");
  expect(changedSince(first.manifest, second.manifest.snapshotId)).toBe("*");
  const { ancestors: _, ...older } = built(many, first, []).manifest;
  expect(changedSince(older, first.manifest.snapshotId)).toBe("*");
});
