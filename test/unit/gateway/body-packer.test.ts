import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { createBodyPacker } from "../../../gateway/body-packer.ts";
import type { BodyStreams } from "../../../gateway/body-stream.ts";

const never = new AbortController().signal;

function entry(name: string): ResponseEntry {
  return { key: `tenants/a/${name}.json` as ObjectKey, sha256: name, size: 1000 };
}

test("bodies from the store are packed one at a time, in order; who leaves the queue is not waited for", async () => {
  let underWay = 0;
  let most = 0;
  const opened: string[] = [];
  const streams: BodyStreams = {
    async open({ key }) {
      opened.push(key);
      return async (take) => {
        underWay += 1;
        most = Math.max(most, underWay);
        for (let at = 0; at < 5; at += 1) await take(Buffer.from(key));
        underWay -= 1;
      };
    },
  };
  const packer = createBodyPacker({ streams, timeoutMs: 10_000 });
  const leaving = new AbortController();
  const packing = ["1", "2", "3", "4"].map((name) =>
    packer.packEntry(entry(name), 1e6, name === "2" ? leaving.signal : never).catch(() => null),
  );
  leaving.abort();
  const packed = await Promise.all(packing);
  expect(most).toBe(1);
  expect(opened).toEqual(["1", "3", "4"].map((name) => entry(name).key));
  expect(packed.map((form) => form && gunzipSync(form).toString())).toEqual(
    ["1", "", "3", "4"].map((name) => (name === "" ? null : entry(name).key.repeat(5))),
  );
});

test("a store that never comes to an end holds the others up until the deadline only", async () => {
  // Else the next one would have to be packed within the deadline, too.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const streams: BodyStreams = {
    open: async ({ key }, signal) =>
      key.includes("stuck")
        ? () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
        : (take) => take(Buffer.from(key)),
  };
  const packer = createBodyPacker({ streams, timeoutMs: 50 });
  const stuck = packer.packEntry(entry("stuck"), 1e6, never);
  const next = packer.packEntry(entry("next"), 1e6, never);
  const refused = expect(stuck).rejects.toThrow("took longer than 50 ms");
  await vi.advanceTimersByTimeAsync(50);
  await refused;
  expect(await next).not.toBeNull();
});

test("a body in memory has no gzip form that is not smaller", async () => {
  const packer = createBodyPacker({ streams: { open: () => Promise.reject() }, timeoutMs: 1000 });
  expect(await packer.packBytes(Buffer.from("a"))).toBeNull();
  const bytes = Buffer.alloc(1e6, "a");
  expect(gunzipSync((await packer.packBytes(bytes)) ?? "").equals(bytes)).toBe(true);
});
