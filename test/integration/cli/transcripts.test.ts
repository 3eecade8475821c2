import { readdir, readFile } from "node:fs/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { commandPaths } from "../../support/command-paths.ts";
import { forAllTests } from "../../support/lasting.ts";
import { expectStoredText } from "../../support/stored-text.ts";
import { Transcript } from "../../support/transcript.ts";
import { openWorkbench } from "../../support/workbench.ts";

const folder = new URL("./transcripts/", import.meta.url);
const begin = Date.parse("2026-11-21T12:00:00.000Z");
const minute = 60_000;

describe("the help", () => {
  const helps = commandPaths().map((path) => ({ path, file: `${path.join("-") || "partner-programs"}.txt` }));

  test.each(helps)("of $file is as it was", async ({ path, file }) => {
    const { status, stdout, stderr } = await runCommand([...path, "--help"]);
    expect([status, stderr]).toEqual([0, ""]);
    await expectStoredText(new URL(`help/${file}`, folder), stdout);
  });

  test("has no file of a command that is gone", async () => {
    const files = await readdir(new URL("help/", folder));
    expect(files.sort()).toEqual(helps.map(({ file }) => file).sort());
  });
});

/**
 * Each story is a file that tells what somebody does, and what the commands print: `$` a command, `#` what
 * happens meanwhile, and `%` the SQL for it. To add one, write the lines that begin so, and run the tests
 * with `TEST_UPDATE=1`.
 */
describe("what the commands print", async () => {
  const bench = forAllTests(openWorkbench);
  const stories = (await readdir(folder)).filter((file) => file.endsWith(".txt"));

  beforeEach(async () => {
    await bench.reset();
    await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
    await bench.insertPrograms(
      "acme",
      { program_id: "a", departure_date: "2027-05-01", return_date: "2027-05-08" },
      "b",
      { program_id: "c", lifecycle_state: "draft" },
    );
    await bench.insertPrograms("beta", "a");
  });

  test.each(stories)("in the story %s is as it was", async (file) => {
    const { pathname, hostname } = new URL(bench.database.url);
    const names = {
      [`${pathname.slice(1)} on ${hostname}`]: "<database>",
      [bench.storeDirectory]: "<store>",
      [process.cwd()]: "<here>",
    };
    const transcript = new Transcript({ ...bench.env, LOG_LEVEL: "silent" }, names);
    const told = await readFile(new URL(file, folder), "utf8");
    let minutes = 0;
    for (const [line, mark, text = ""] of told.matchAll(/^([$#%]) (.*)$/gm)) {
      if (mark === "$") {
        // Each a minute after the step before, so that what is ordered by time has one order.
        await transcript.run(text, new Date(begin + minutes * minute));
      } else {
        transcript.note(line);
        if (mark === "%") await bench.source.query(text);
      }
      if (mark !== "%") minutes += 1;
    }
    await expectStoredText(new URL(file, folder), transcript.text);
  });
});
