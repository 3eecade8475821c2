import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { expectFailure, getText, key, listKeys, putText } from "../../support/object-store-probes.ts";
import { openServer } from "../../support/open-server.ts";
import { useS3Driver } from "../../support/s3-driver.ts";

describe("P188: keys that change while the driver is in use", () => {
  const { server: serverOf, open } = driverOnEnvironment();
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "s3-credentials-"));
    const unset = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"];
    for (const name of unset) vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_ENDPOINT_URL_S3", serverOf().endpoint);
    vi.stubEnv("AWS_REGION", "eu-test-1");
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "no-config"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
  });
  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  /** As a person, a sidecar or an agent replaces them. */
  async function writeKeys(accessKeyId: string): Promise<void> {
    const lines = ["[default]", `aws_access_key_id = ${accessKeyId}`, "aws_secret_access_key = test-secret"];
    await writeFile(join(folder, "credentials"), `${lines.join("\n")}\n`);
  }

  async function workingStore(): Promise<ObjectStore> {
    await writeKeys("test-key");
    const store = open();
    await putText(store, "a.json", "{}");
    return store;
  }

  const refused = (): number => serverOf().log.filter(({ status }) => status === 403).length;

  test("in the shared credentials file are found when the store refuses the old ones, whatever the call", async () => {
    const store = await workingStore();
    const etag = await putText(store, "b.json", "[]");
    const calls: readonly (() => Promise<unknown>)[] = [
      () => getText(store, "a.json"),
      () => putText(store, "b.json", "[1]", { kind: "match", etag }),
      () => listKeys(store, ""),
      () => store.copy(key("a.json"), key("c.json")),
      () => store.delete([key("a.json"), key("b.json")]),
    ];
    vi.useFakeTimers({ toFake: ["performance"] });
    for (const [at, call] of calls.entries()) {
      serverOf().quirks.accessKeyId = `key-${at}`;
      await writeKeys(`key-${at}`);
      vi.advanceTimersByTime(5000);
      await call();
      expect(refused()).toBe(at + 1);
    }
  });

  test("are looked for at most every 5 s", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const store = await workingStore();
    serverOf().quirks.accessKeyId = "next-key";
    await expectFailure("store_denied", () => store.get(key("a.json")));
    await writeKeys("next-key");
    vi.advanceTimersByTime(4999);
    await expectFailure("store_denied", () => store.get(key("a.json")));
    vi.advanceTimersByTime(1);
    expect(await getText(store, "a.json")).toBe("{}");
  });

  test("are looked for after a denial if the store has accepted the old ones before", async () => {
    await writeKeys("test-key");
    serverOf().quirks.mayPut = false;
    const [fresh, used] = [open(), open()];
    await expectFailure("store_denied", () => putText(fresh, "a.json", "{}"));
    await listKeys(used, "");
    await writeKeys("next-key");
    for (const store of [fresh, used]) {
      await expectFailure("store_denied", () => putText(store, "a.json", "{}"));
    }
    // The new keys are not accepted here, which shows that they were used.
    const asked = serverOf().log.map(
      ({ headers }) => /Credential=([\w-]+)/.exec(headers.authorization ?? "")?.[1],
    );
    expect(asked).toEqual([...Array(4).fill("test-key"), "next-key"]);
  });

  test("of a container renew themselves, although its endpoint fails in between and its token changes", async () => {
    let accessKeyId = "test-key";
    let token = "first";
    const answers: RequestListener[] = [];
    const endpoint = createServer((request, response) => {
      const scripted = answers.shift();
      if (scripted !== undefined) return scripted(request, response);
      if (request.headers.authorization !== token) return void response.writeHead(401).end("{}");
      // Keys that expire soon are renewed in the background with each request.
      const Expiration = new Date(Date.now() + 60_000).toISOString();
      const keys = { AccessKeyId: accessKeyId, SecretAccessKey: "test-secret", Token: "session", Expiration };
      response.end(JSON.stringify(keys));
    });
    const { url, close } = await openServer(endpoint);
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, token);
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", `${url}/keys`);
    vi.stubEnv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", tokenFile);
    try {
      const store = open();
      await putText(store, "a.json", "{}");
      answers.push(
        (_, response) => response.writeHead(500).end("oops"),
        (_, response) => response.end("<html>down for maintenance</html>"),
      );
      while (answers.length > 0) expect(await getText(store, "a.json")).toBe("{}");
      accessKeyId = "next-key";
      token = "second";
      await writeFile(tokenFile, token);
      serverOf().quirks.accessKeyId = "next-key";
      expect(await getText(store, "a.json")).toBe("{}");
    } finally {
      await close();
    }
  });
});

function driverOnEnvironment() {
  const driver = useS3Driver();
  return { server: () => driver.server, open: () => driver.open({ connection: undefined }) };
}
