import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { WithTenantRows } from "../../../cli/publish/source/tenant-rows.ts";
import type { BuildOptions } from "../../../cli/publish/tenant/build-context.ts";
import { buildTenant } from "../../../cli/publish/tenant/build-tenant.ts";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { type CannedProgram, cannedOptions, cannedRows } from "../../support/canned-source.ts";

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "unread-source-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

const kyoto: CannedProgram = { programId: "KYOTO-1", name: "Kyoto" };

/** Builds, and tells how it ended, what it asked the database and how many programs it told the progress bar of. */
async function build(
  options: Partial<BuildOptions> = {},
  programs: readonly CannedProgram[] = [kyoto],
): Promise<{ readonly outcome: string; readonly asked: "sums" | "rows"; readonly progress: number }> {
  let [asked, progress]: ["sums" | "rows", number] = ["sums", 0];
  const rows = cannedRows(() => programs);
  const withRows: WithTenantRows = (tenantId, read) =>
    rows(tenantId, (given) =>
      read({
        ...given,
        programs: (wanted) => {
          asked = "rows";
          return given.programs(wanted);
        },
      }),
    );
  const { outcome } = await buildTenant(
    parseTenantId("acme"),
    { ...cannedOptions, ...options },
    {
      withRows,
      store: createFileStore({ directory }),
      beforeFirstWrite: async () => {},
      now: () => new Date(),
      randomBytes,
      onProgress: (count) => {
        progress += count;
      },
      signal: new AbortController().signal,
    },
  );
  return { outcome, asked, progress };
}

test("a source that is as the live snapshot's build found it is not read again", async () => {
  expect(await build()).toEqual({ outcome: "published", asked: "rows", progress: 1 });
  expect(await build()).toEqual({ outcome: "unchanged", asked: "sums", progress: 1 });
  expect(await build({ dryRun: true })).toEqual({ outcome: "unchanged", asked: "sums", progress: 1 });
});

test.each<[string, Partial<BuildOptions>, readonly CannedProgram[], string]>([
  ["a row has changed", {}, [{ ...kyoto, name: "Nara" }], "published"],
  ["the generator or a setting has changed", { recipe: "0c".repeat(32) }, [kyoto], "unchanged"],
  ["every file is to be written anew", { rewrite: true }, [kyoto], "published"],
])("it is read when %s", async (_, options, programs, outcome) => {
  await build();
  expect(await build(options, programs)).toMatchObject({ outcome, asked: "rows" });
});
