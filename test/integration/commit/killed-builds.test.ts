import { afterAll, beforeAll, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import {
  type CrashStage,
  isPublishing,
  liveVersion,
  openCrashStage,
  stageTenants,
} from "../../support/crash-stage.ts";
import { sized } from "../../support/quick-pass.ts";

/** Builds are killed after every call, or after some. */
const stride = sized({ whole: 1, quick: 8 });

/** What the first build of a store says of it, or the next one when the first did not live to. */
const toldIdentity = /^partner-programs: .* STORE_ID=store_\w+ .*\n/;

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage();
});
withAwsEnvironment(() => stage.server.env);
afterAll(() => stage.close());

/** Starts a build and kills it when the k-th call that publishes has been carried out; false when it ended before. */
async function killAfter(k: number): Promise<boolean> {
  const build = stage.startBuild();
  let calls = 0;
  stage.server.onRequest((request) => {
    if (isPublishing(request)) calls += 1;
    // What the process is told after this, it does not live to hear.
    if (calls === k) build.child.kill("SIGKILL");
    for (const tenant of stageTenants) liveVersion(stage.server.objects, tenant);
  });
  const { how, stderr } = await build.ended;
  stage.server.onRequest(undefined);
  if (how === 0) return false;
  expect([how, stderr.replace(toldIdentity, "")]).toEqual(["SIGKILL", ""]);
  return true;
}

async function expectSoundAndMended(version: number): Promise<void> {
  const { objects } = stage.server;
  const verified = await stage.run("snapshot", "verify");
  expect([verified.status, verified.stderr]).toEqual([0, ""]);
  const built = await stage.run("snapshot", "build");
  expect([built.status, built.stderr.replace(toldIdentity, "")]).toEqual([0, ""]);
  expect(stageTenants.map((tenant) => liveVersion(objects, tenant))).toEqual([version, version]);
  expect((await stage.run("snapshot", "verify")).status).toBe(0);
}

/** From the same objects each time, so that the k-th call is the same one in every round. */
async function killEverywhere(version: number): Promise<number> {
  const { objects } = stage.server;
  const before = [...objects];
  await stage.setVersion(version);
  for (let k = 1; ; k += stride) {
    objects.clear();
    for (const [key, object] of before) objects.set(key, object);
    if (!(await killAfter(k))) return k - stride;
    await expectSoundAndMended(version);
  }
}

test("P2 a build killed with SIGKILL after every single store call leaves every tenant whole, and the next build succeeds", {
  timeout: 900_000,
}, async () => {
  await stage.setVersion(1);
  expect((await stage.run("snapshot", "build")).status).toBe(0);
  const points = await killEverywhere(2);
  console.log(`killed after each of ${points} store calls of an update`);
  expect(points).toBeGreaterThan(2 * 8 - stride);
});

test("the same holds for the very first build of a store", { timeout: 900_000 }, async () => {
  stage.server.objects.clear();
  const points = await killEverywhere(3);
  console.log(`killed after each of ${points} store calls of a first build`);
  expect(points).toBeGreaterThan(2 * 7 + 1 - stride);
});
