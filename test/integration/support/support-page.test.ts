import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { page, projectRoot } from "../../support/markdown.ts";
import { expectStoredText, steadyBytes } from "../../support/stored-text.ts";
import { openWorkbench } from "../../support/workbench.ts";
import { type Cause, type Company, causes, companyRows, tenant } from "./complaints.ts";

const path = "docs/support.md";
const bench = forAllTests(openWorkbench);
const logFile = join(folderForAllTests(), "gateway.log");

test("each complaint that docs/support.md lists has a section, and a cause", () => {
  const { text } = page(path);
  const listed = [...text.matchAll(/^- \[(.+)\]\(#[^)]+\)$/gm)].map(([, title]) => title);
  expect(listed).toEqual(Object.keys(causes));
  for (const title of listed) expect(text).toContain(`\n## ${title}\n`);
});

/**
 * A section's command, and what the page shows of its output. `TEST_UPDATE=1` renews it, and the whole
 * outputs in `printed`.
 */
const printed = /^```console\n\$ partner-programs (.+)\n([\s\S]*?)\n```$/m;
/** The first of each of the two explanations stands on the page as a whole. */
const shownWhole = [
  "The partner gets 401",
  "The partner gets 404 for a program that we see in the booking system",
];

test.each(Object.entries(causes))(
  "docs/support.md shows what the command prints: %s",
  async (title, cause) => {
    const { text } = page(path);
    const start = text.indexOf(`\n## ${title}\n`);
    const [block = "", command = "", shown] = printed.exec(text.slice(start)) ?? [];
    const now = await shownNow(command, cause);
    const name = title.toLowerCase().match(/\w+/g)?.join("-");
    await expectStoredText(new URL(`printed/${name}.txt`, import.meta.url), `${now}\n`);
    const short = shownWhole.includes(title) ? now : shortened(now);
    if (process.env.TEST_UPDATE !== "1") expect(short).toBe(shown);
    else {
      const renewed = block.replace(`\n${shown}\n`, () => `\n${short}\n`);
      await writeFile(
        join(projectRoot, path),
        text.slice(0, start) + text.slice(start).replace(block, () => renewed),
      );
    }
  },
);

/** An explanation without the facts between its verdict and the next step, and the beginning of a list. */
function shortened(output: string): string {
  if (output.startsWith("{")) return [...output.split("\n").slice(0, 7), "..."].join("\n");
  return output.replace(/\n\n[\s\S]*\n\n(?=Next: )/, "\n  ...\n");
}

/** What the command prints when the cause is true. */
async function shownNow(command: string, cause: Cause): Promise<string> {
  await bench.reset();
  await bench.source.query(companyRows);
  let gateway: GatewayFixture | undefined;
  let now = new Date("2027-03-02T06:00:00Z");
  // The ids of tokens are on the page.
  const randomBytes = steadyBytes();
  const company: Company = {
    storeDirectory: bench.storeDirectory,
    at(time) {
      now = new Date(time);
    },
    query: (sql) => bench.source.query(sql),
    async command(args, status = 0) {
      const result = await bench.run(args, { now, randomBytes, env: { LOG_LEVEL: "silent" } });
      expect([result.status, result.stderr]).toEqual([status, expect.anything()]);
      return result.stdout;
    },
    async request(requestId, target, token, status) {
      // A gateway that starts now has seen every token.
      gateway ??= await startGateway({ directory: bench.storeDirectory, env: { SNAPSHOT_REFRESH_MS: "0" } });
      const answer = await gateway.client.get(target, token, {
        "X-Request-Id": requestId,
        "Accept-Encoding": "gzip",
      });
      expect(answer.status).toBe(status);
      const lines = gateway.log.map((line) => steadyLine(line, now));
      await writeFile(logFile, lines.join(""));
    },
  };
  try {
    await company.command(["snapshot", "build"]);
    // `request explain ID --log gateway.log`
    await makeTrue(cause, company, command.split(" ")[2] ?? "");
    const args = command.split(" ").map((arg) => (arg === "gateway.log" ? logFile : arg));
    return (await company.command(args)).replaceAll(logFile, "gateway.log").trimEnd();
  } finally {
    await gateway?.close();
  }
}

/** Sets the clock to the time at which support looks into it, too. The partner's request gets the id. */
async function makeTrue(cause: Cause, company: Company, requestId: string): Promise<void> {
  const { change, build, at, request } = cause;
  const { token: [name, ...options] = [], issuedAt } = request ?? {};
  if (issuedAt !== undefined) company.at(issuedAt);
  const create = ["token", "create", "--tenant", tenant, "--name", String(name), ...options];
  const token = request === undefined ? "" : (await company.command(create)).trim();
  if (change !== undefined) await company.query(change);
  if (build !== undefined) {
    company.at(build.at);
    await company.command(["snapshot", "build", ...(build.options ?? [])], build.status);
  }
  await cause.plant?.(company, token);
  company.at(at);
  if (request === undefined) return;
  const { path: target, status, sent = (whole) => whole } = request;
  await company.request(requestId, target, sent(token), status);
}

/** Replaces times and durations, which differ from run to run. */
function steadyLine(line: Readonly<Record<string, unknown>>, now: Date): string {
  const timed = "durationMs" in line ? { durationMs: 0.8 } : {};
  return `${JSON.stringify({ ...line, time: now.toISOString(), ...timed })}\n`;
}
