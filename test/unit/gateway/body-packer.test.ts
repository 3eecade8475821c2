import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { createBodyPacker } from "../../../gateway/body-packer.ts";
import type { BodyOpener } from "../../../gateway/body-stream.ts";

function entry(name: string): ResponseEntry {
  return { key: `tenants/a/${name}.json` as ObjectKey, sha256: name, size: 1000 };
}

test("bodies from the store are packed one at a time, in order", async () => {
  let underWay = 0;
  let most = 0;
  const opened: string[] = [];
  const open: BodyOpener = async ({ key }) => {
    opened.push(key);
    return async (take) => {
      underWay += 1;
      most = Math.max(most, underWay);
      for (let at = 0; at < 5; at += 1) await take(Buffer.from(key));
      underWay -= 1;
    };
  };
  const packer = createBodyPacker(open, 10_000);
  const entries = ["1", "2", "3"].map(entry);
  const packed = await Promise.all(entries.map((one) => packer.packEntry(one, 1e6)));
  expect(most).toBe(1);
  expect(opened).toEqual(entries.map(({ key }) => key));
  expect(packed.map((form) => form && gunzipSync(form).toString())).toEqual(
    entries.map(({ key }) => key.repeat(5)),
  );
});

test("a store that never comes to an end holds the others up until the deadline only", async () => {
  // Else the next one would have to be packed within the deadline, too.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const open: BodyOpener = async ({ key }, signal) =>
    key.includes("stuck")
      ? () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
      : (take) => take(Buffer.from(key));
  const packer = createBodyPacker(open, 50);
  const stuck = packer.packEntry(entry("stuck"), 1e6);
  const next = packer.packEntry(entry("next"), 1e6);
  const refused = expect(stuck).rejects.toThrow("took longer than 50 ms");
  await vi.advanceTimersByTimeAsync(50);
  await refused;
  expect(await next).not.toBeNull();
});
