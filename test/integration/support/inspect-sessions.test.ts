import { once } from "node:events";
import { appendFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askPages, type InspectRun, passwordLine, runInspect } from "../../support/inspect-run.ts";
import { openSignInDesk, password, type SignInDesk } from "../../support/sign-in-desk.ts";

let signIn: SignInDesk;
let running: InspectRun;
let line: string;
const nowMs = Date.parse("2026-11-21T12:00:00.000Z");

beforeAll(async () => {
  signIn = await openSignInDesk();
  line = await passwordLine(signIn.desk, "ada", password);
});
afterAll(() => signIn.close());

beforeEach(async () => {
  await writeFile(signIn.passwordFile, line);
  const args = ["--listen", "127.0.0.1", "--password-file", signIn.passwordFile];
  running = await runInspect(signIn.desk, args, { now: new Date(nowMs) });
});
afterEach(() => running.stop());

type Headers = readonly (readonly [string, string])[];

function basic(given: string): readonly [string, string] {
  return ["Authorization", `Basic ${Buffer.from(`ada:${given}`).toString("base64")}`];
}

async function status(...headers: Headers): Promise<number> {
  return (await askPages(running.port, headers)).status;
}

/** What a browser sends that signed in. */
async function sessionOf(
  ...more: Headers
): Promise<{ readonly header: readonly [string, string]; readonly set: string }> {
  const { headers } = await askPages(running.port, [basic(password), ...more]);
  const set = String(headers["set-cookie"]);
  return { header: ["Cookie", set.split(";")[0] ?? ""], set };
}

describe("P185: a session", () => {
  test("is in a cookie that no script reads and no other site sends, and that never leaves TLS again", async () => {
    const plain = await sessionOf();
    expect(plain.set).toMatch(/^partner-programs-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(plain.set).not.toContain(password);
    expect((await sessionOf(["X-Forwarded-Proto", "https"])).set).toMatch(/; Secure$/);
    expect((await sessionOf(["Forwarded", "for=10.0.0.1;proto=https"])).set).toMatch(/; Secure$/);
    expect(await status(plain.header)).toBe(200);
    expect(await status(["Cookie", `${plain.header[1]}x`])).toBe(401);
  });

  test("goes on when another person's line comes, changes or goes, and ends with its own", async () => {
    const { header } = await sessionOf();
    const tries = Array.from({ length: 11 }, (_, at) => basic(`${password}${at}`));
    for (const wrong of tries) await status(wrong);
    // From now on not even the right password is tried: only who is signed in gets pages.
    expect(await status(basic(`${password}!`))).toBe(429);
    await appendFile(signIn.passwordFile, await passwordLine(signIn.desk, "eve", `${password} of eve`));
    expect(await status(header)).toBe(200);
    expect(await status(basic(password))).toBe(200);
    await writeFile(signIn.passwordFile, `# without eve\n${line}`);
    expect(await status(header, basic(`${password}?`))).toBe(200);
    await writeFile(signIn.passwordFile, await passwordLine(signIn.desk, "ada", `${password} anew`));
    expect(await status(header)).toBe(401);
  });

  test("is one for 14 first requests at once, and each is a page", async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, () => askPages(running.port, [basic(password)])),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 14 }, () => 200));
    expect(new Set(answers.map(({ headers }) => String(headers["set-cookie"]))).size).toBe(1);
  });

  test("begins for 14 people at once", async () => {
    const people = Array.from({ length: 14 }, (_, at) => `person${at}`);
    // One hash for all of them: what is tried is the waiting.
    await writeFile(signIn.passwordFile, people.map((name) => line.replace("ada", name)).join(""));
    const statuses = await Promise.all(
      people.map((name) =>
        status(["Authorization", `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`]),
      ),
    );
    expect(statuses).toEqual(people.map(() => 200));
  });
});

test("P186: 500 connections from one address that ask for nothing keep nobody out", async () => {
  const { header } = await sessionOf();
  const sockets = Array.from({ length: 500 }, () => connect(running.port, "127.0.0.1").on("error", () => {}));
  await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, "connect") : undefined)));
  // Of the same address, and of another of this machine.
  expect(await status(header)).toBe(200);
  const other = connect({ port: running.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  other.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nConnection: close\r\n\r\n`);
  const [answer] = await once(other, "data");
  expect(String(answer)).toMatch(/^HTTP\/1.1 401 /);
  for (const socket of [...sockets, other]) socket.destroy();
});
