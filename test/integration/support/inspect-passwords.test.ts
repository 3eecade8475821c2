import { writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  askPages,
  type InspectRun,
  passwordLine,
  type Reply,
  runInspect,
  visits,
} from "../../support/inspect-run.ts";
import { openSignInDesk, password, type SignInDesk } from "../../support/sign-in-desk.ts";
import { deskTenant, type SupportDesk } from "../../support/support-desk.ts";

let signIn: SignInDesk;
let desk: SupportDesk;
let passwordFile: string;

beforeAll(async () => {
  signIn = await openSignInDesk();
  ({ desk, passwordFile } = signIn);
});

afterAll(() => signIn.close());

let running: InspectRun;

function ask(headers: readonly (readonly [string, string])[], path?: string): Promise<Reply> {
  return askPages(running.port, headers, path);
}

function basic(name: string, given: string): readonly [string, string] {
  return ["Authorization", `Basic ${Buffer.from(`${name}:${given}`).toString("base64")}`];
}

describe("with a file of passwords", () => {
  beforeEach(async () => {
    await writeFile(passwordFile, `# the team\n${await passwordLine(desk, "ada", password)}`);
    // To try a password takes long, and the minute within which tries are counted passes by this clock.
    const now = new Date("2026-11-21T12:00:00.000Z");
    running = await runInspect(desk, ["--listen", "127.0.0.1", "--password-file", passwordFile], { now });
  });
  afterEach(() => running.stop());

  test("P64: a browser is asked for a name and a password, and gets the pages for them", async () => {
    const asked = await ask([]);
    expect([asked.status, asked.headers["www-authenticate"]]).toEqual([
      401,
      'Basic realm="Partner programs", charset="UTF-8"',
    ]);
    expect((await ask([basic("ada", password)])).status).toBe(200);
    expect(running.printed).toContain("for the 1 name of");
  });

  test.each([
    ["another password", "ada", `${password}!`],
    ["no password", "ada", ""],
    ["another name", "eve", password],
    ["the hash itself", "ada", "$scrypt$ln=15"],
    ["no name", "", password],
  ])("P64: %s opens nothing, and is in no log", async (_, name, given) => {
    const { status, text } = await ask([basic(name, given)]);
    expect(status).toBe(401);
    expect(text).not.toContain(deskTenant);
    const result = await running.stop();
    expect(visits(result)).toEqual([expect.objectContaining({ user: null, status: 401 })]);
    expect(result.stderr).not.toContain(password);
  });

  test("P64: what is no Basic authorization opens nothing", async () => {
    for (const value of [
      "Basic",
      "Basic !!!",
      "Bearer x",
      `Basic ${Buffer.from("ada").toString("base64")}`,
    ]) {
      expect((await ask([["Authorization", value]])).status, value).toBe(401);
    }
  });

  test("P64: who is taken out of the file is out at once, and a damaged file lets nobody in", async () => {
    expect((await ask([basic("ada", password)])).status).toBe(200);
    await writeFile(passwordFile, await passwordLine(desk, "grace", password));
    expect((await ask([basic("ada", password)])).status).toBe(401);
    expect((await ask([basic("grace", password)])).status).toBe(200);
    await writeFile(passwordFile, "grace:changed by hand\n");
    const { status, text } = await ask([basic("grace", password)]);
    expect([status, text]).toEqual([500, expect.stringContaining("Nobody can sign in")]);
    expect(text).not.toContain(passwordFile);
    expect(visits(await running.stop()).at(-1)).toMatchObject({
      cause: expect.stringContaining("Line 1 of"),
    });
  });

  test("P65: after ten wrong passwords in a minute the next is not even tried, and who is signed in stays so", async () => {
    expect((await ask([basic("ada", password)])).status).toBe(200);
    const tries = Array.from({ length: 12 }, (_, at) => basic("ada", `${password}${at}`));
    const statuses = [];
    for (const header of tries) statuses.push((await ask([header])).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const { status, headers } = await ask([basic("ada", `${password}?`)]);
    expect([status, Number(headers["retry-after"])]).toEqual([429, expect.any(Number)]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect((await ask([basic("ada", password)])).status).toBe(200);
  });

  test("P65: thirty tries of many names from one address are the last", async () => {
    const statuses = [];
    for (let at = 0; at < 32; at += 1) statuses.push((await ask([basic(`n${at}`, password)])).status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(30);
    expect(statuses.slice(30)).toEqual([429, 429]);
  });
});
