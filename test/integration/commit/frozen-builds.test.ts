import { afterAll, beforeAll, expect, test } from "vitest";
import { withAwsEnvironment } from "../../support/aws-environment.ts";
import {
  type BuildProcess,
  type CrashStage,
  isPublishing,
  liveVersion,
  openCrashStage,
  stageTenants,
} from "../../support/crash-stage.ts";
import { sized } from "../../support/quick-pass.ts";

/** Builds are frozen at every call, or at some. */
const stride = sized({ whole: 1, quick: 4 });

let stage: CrashStage;
beforeAll(async () => {
  stage = await openCrashStage();
});
withAwsEnvironment(() => stage.server.env);
afterAll(() => stage.close());

/** Starts a build and stops it at its k-th call about a tenant; `undefined` when it ended before. */
async function freezeAt(k: number): Promise<BuildProcess | undefined> {
  const build = stage.startBuild();
  let calls = 0;
  const frozen = new Promise<BuildProcess>((resolve) => {
    stage.server.onRequest((request) => {
      if (isPublishing(request)) calls += 1;
      if (calls !== k || build.child.signalCode !== null) return;
      build.child.kill("SIGSTOP");
      resolve(build);
    });
  });
  const first = await Promise.race([frozen, build.ended]);
  return first === build ? build : undefined;
}

test("P5 a builder that is frozen at any of its store calls while another publishes loses or builds anew: it never wins with old data", {
  timeout: 900_000,
}, async () => {
  const { objects } = stage.server;
  await stage.setVersion(1);
  expect((await stage.run("snapshot", "build")).status).toBe(0);
  const before = [...objects];

  let k = 1;
  for (; ; k += stride) {
    objects.clear();
    for (const [key, object] of before) objects.set(key, object);
    await stage.setVersion(2);
    const build = await freezeAt(k);
    if (build === undefined) break;
    await stage.setVersion(3);
    stage.server.onRequest(undefined);
    const other = await stage.run("snapshot", "build");
    expect([other.status, other.stderr]).toEqual([0, ""]);

    const shown: (number | undefined)[] = [];
    stage.server.onRequest(() => {
      shown.push(...stageTenants.map((tenant) => liveVersion(objects, tenant)));
    });
    build.child.kill("SIGCONT");
    const { how, stderr } = await build.ended;
    expect([how, stderr]).toEqual([0, ""]);
    expect(new Set(shown)).toEqual(new Set([3]));
    expect(stageTenants.map((tenant) => liveVersion(objects, tenant))).toEqual([3, 3]);
    expect((await stage.run("snapshot", "verify")).status).toBe(0);
  }
  console.log(`frozen at store calls 1 to ${k - stride}, in steps of ${stride}`);
  expect(k - stride).toBeGreaterThan(2 * 8 - stride);
});
