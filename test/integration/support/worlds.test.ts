import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createGatewayLog } from "../../../cli/operate/gateway-log/gateway-log.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { tokensKey } from "../../../core/object-key.ts";
import { startDeskGateway } from "../../support/desk-gateway.ts";
import { startInspect } from "../../support/inspect-fixture.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { sized } from "../../support/quick-pass.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";
import { buildCauses, sourceCauses } from "../../support/world-source-causes.ts";
import { keyCauses, logCauses, storeCauses } from "../../support/world-store-causes.ts";
import {
  type Cause,
  follow,
  isPossible,
  type PlantWorld,
  program,
  type World,
  worldPlanter,
} from "../../support/worlds.ts";

/**
 * The law of the support wing: whatever went wrong, every command and page says what is true by the planting, all say the
 * same, and whoever follows the printed steps ends with partners seeing the program.
 */

const desk = forAllTests(openSupportDesk);
const folder = folderForAllTests();
let plantWorld: PlantWorld;

beforeAll(async () => {
  plantWorld = worldPlanter(desk, folder);
});

interface Concern {
  readonly kind: string;
  readonly severity: "bad" | "doubtful";
  readonly text: string;
}

interface Status {
  readonly tenants: readonly { readonly tenantId: string; readonly concerns: readonly Concern[] }[];
  readonly concerns: readonly Concern[];
  readonly counts: Readonly<Record<string, number>>;
}

interface Explained {
  readonly tenantId: string;
  readonly answer: number;
  readonly row: string;
  readonly summary: string;
  readonly next: {
    readonly text: string;
    readonly steps: readonly {
      readonly who: string;
      readonly text: string;
      readonly commands: readonly string[];
    }[];
  };
}

async function explained({ now }: World): Promise<Explained> {
  const args = ["snapshot", "explain", "--tenant", deskTenant, "--program", program, "--json"];
  const { stdout } = await desk.run(args, { now });
  return JSON.parse(stdout);
}

/** What a partner of the tenant really gets for the program, with an access key that has no end and that nobody hears of later. */
async function answered(world: World): Promise<number> {
  const registry = await desk.store.get(tokensKey);
  if (registry.kind !== "object") throw new Error("the world has no access keys");
  const before = await readBody(registry, Number.MAX_SAFE_INTEGER, tokensKey);
  const args = ["token", "create", "--tenant", deskTenant, "--allow-unpublished", "--name", "Probe"];
  const { status, stdout } = await desk.run(args, { now: world.now });
  // A removed tenant gets no access key, and those that it had have ended.
  if (status !== 0) return 401;
  const gateway = await startDeskGateway(desk);
  try {
    return (await gateway.get(`/v1/programs/${program}`, { token: stdout.trim() })).status;
  } finally {
    await gateway.stop();
    await desk.store.put(tokensKey, bytesBody(before));
  }
}

/** The words of pages, as a reader has them. */
async function pagesOf(world: World, ...paths: readonly string[]): Promise<readonly string[]> {
  const log = createGatewayLog(
    [{ name: join(folder, "gateway.log"), stdin: Readable.from([]) }],
    new AbortController().signal,
  );
  const inspect = await startInspect(desk, { now: world.now, log });
  try {
    const texts: string[] = [];
    for (const path of paths) {
      const page = await (await inspect.get(path)).text();
      texts.push(plainText(page.slice(page.indexOf("<main"))));
    }
    return texts;
  } finally {
    await inspect.close();
  }
}

function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\s+/g, " ");
}

const endings = ["failing", "interrupted"];

/** The kinds of concerns that the causes make, by the planting. */
function trueKinds(some: readonly Cause[]): readonly string[] {
  const hider = some.find(({ hides }) => hides === "both");
  const kinds = (hider === undefined ? some : [hider]).flatMap(({ concerns = [] }) => concerns).sort();
  // That no build comes says also how the last one ended.
  return kinds.includes("silent") ? kinds.filter((kind) => !endings.includes(kind)) : kinds;
}

async function holdToTheLaw(some: readonly Cause[]): Promise<void> {
  const world = await plantWorld(some);
  const { now, log } = world;
  const logFile = join(folder, "gateway.log");
  await writeFile(logFile, log.join(""));

  // One list of concerns, the worst first, by the planting; the same in the text, on the pages, and counted alike.
  const status = (await desk.json(["snapshot", "status", "--log", logFile], { now })) as Status;
  const own = status.tenants.find(({ tenantId }) => tenantId === deskTenant)?.concerns ?? [];
  const kinds = own.map(({ kind }) => kind).filter((kind) => !isConsequence(kind, some));
  expect(kinds.toSorted()).toEqual(trueKinds(some));
  const silent = own.find(({ kind }) => kind === "silent");
  if (silent !== undefined && some.some(({ concerns = [] }) => endings.includes(concerns[0] ?? ""))) {
    expect(silent.text).toMatch(
      /the last one did not get through: .|that one was stopped before it was done/,
    );
  }
  const severities = own.map(({ severity }) => severity);
  expect(severities).toEqual(severities.toSorted());
  expect(status.concerns).toEqual([]);
  const text = (await desk.run(["snapshot", "status", "--log", logFile], { now })).stdout.replace(
    /\s+/g,
    " ",
  );
  const { bad = 0, doubtful = 0, well = 0 } = status.counts;
  const count = status.tenants.length;
  const tally = `${count} ${count === 1 ? "tenant" : "tenants"}: ${bad} in trouble, ${doubtful} to look at, ${well} well.`;
  if (well < count) expect(text).toContain(tally);
  const [health = "", all = ""] = await pagesOf(world, "/health", "/");
  expect([health.includes(tally), all.includes(tally)]).toEqual([true, true]);
  for (const { text: sentence } of [...own, ...status.concerns]) {
    expect(text).toContain(sentence.replace(/\s+/g, " "));
    expect(health.toLowerCase()).toContain(sentence.replace(/\s+/g, " ").toLowerCase());
  }

  // What partners get, and why, of the program.
  const explanation = await explained(world);
  expect([explanation.summary, explanation.answer]).toEqual([explanation.summary, await answered(world)]);
  const hider = some.find(({ hides }) => hides !== undefined);
  for (const { said, name } of hider === undefined ? some : [hider]) {
    if (said !== undefined && !isUnsaid(name, some)) expect(explanation.summary).toMatch(said);
  }

  await followed(world, explanation);
}

/** What is so only because of another cause: nobody serves a tenant whose key ended is no concern of its own, and so on. */
function isConsequence(kind: string, some: readonly Cause[]): boolean {
  // The partner's first key is there in every world; a tenant without builds for days has old data.
  return kind === "answers_refused" && !some.some(({ name }) => name === "answers of 401");
}

/** What the program's own sentences need not say: it is about the tenant, and does not stand in the way of this program. */
function isUnsaid(name: string, some: readonly Cause[]): boolean {
  const names = new Set(some.map((cause) => cause.name));
  const isWaiting = some.some(({ phase, slots }) => phase === "source" && !slots.includes("tenant"));
  const isPassing = names.has("cancelled") || names.has("ended by its dates");
  const isStop = ["no build for days", "a view that fails"].includes(name);
  if (["build", "log"].includes(causes.find((cause) => cause.name === name)?.phase ?? "")) {
    // A program that is as the booking system has it waits for no build; a withdrawal passes everything but silence.
    return !isWaiting || (isPassing && !isStop) || isCorrecting(names) || hidesBuild(name, names);
  }
  // A name that partners do not see yet is not told of a program that goes or cannot be published.
  const isGoing = ["cancelled", "ended by its dates", "deleted", "an unknown state", "two rows", "no name"];
  const isFlaw = ["another name", "no capacity", "a photo without https"].includes(name);
  if (isPassing) return !["cancelled", "ended by its dates"].includes(name);
  return isFlaw && isGoing.some((other) => names.has(other));
}

/** Where builds stop at this very program, they are in the way of nothing: it has to be corrected first. */
function isCorrecting(names: ReadonlySet<string>): boolean {
  const isFaulty = ["no name", "two rows", "an unknown state"].some((name) => names.has(name));
  return isFaulty && names.has("a fault of another program that stops builds");
}

/** No build for days says more than how the last one ended. */
function hidesBuild(name: string, names: ReadonlySet<string>): boolean {
  return names.has("no build for days") && name !== "no build for days" && name !== "a hold";
}

/** Whoever follows the steps ends with partners seeing the program. */
async function followed(world: World, first: Explained): Promise<void> {
  let explanation = first;
  const said: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    said.push(`${explanation.row}: ${explanation.next.text}`);
    if (/^served_(same|dropped)/.test(explanation.row) && explanation.answer === 200) break;
    world.now = new Date(world.now.getTime() + 60_000);
    for (const { text, commands } of explanation.next.steps) {
      await follow(world, text);
      for (const command of commands) {
        if (/^(snapshot (build|release)|token create) /.test(command) && !command.includes("--allow")) {
          await desk.run(command.split(" "), { now: world.now });
        }
      }
    }
    explanation = await explained(world);
  }
  expect([said, explanation.answer, await answered(world)]).toEqual([said, 200, 200]);
}

const causes: readonly Cause[] = [
  ...sourceCauses,
  ...buildCauses,
  ...storeCauses,
  ...keyCauses,
  ...logCauses,
];
const pairs = causes.flatMap((a, at) => causes.slice(at + 1).map((b) => [a, b] as const)).filter(isPossible);
/** One of so many pairs is planted. */
const pairsPerShown = sized({ whole: 1, quick: 29 });
const shown = pairs.filter((_, at) => at % pairsPerShown === 0);

describe("P47, P53: what is said is what was planted, and following it helps", () => {
  test.each(causes.map((cause) => [cause.name, cause] as const))("%s", async (_, cause) => {
    await holdToTheLaw([cause]);
  });

  test.each(shown.map(([a, b]) => [`${a.name}, and ${b.name}`, [a, b]] as const))("%s", async (_, some) => {
    await holdToTheLaw(some);
  });

  test("three at once", async () => {
    const three = fc
      .uniqueArray(fc.constantFrom(...causes), { minLength: 3, maxLength: 3 })
      .filter(isPossible);
    await fc.assert(fc.asyncProperty(three, holdToTheLaw), { numRuns: sized({ whole: 12, quick: 1 }) });
  });
});
