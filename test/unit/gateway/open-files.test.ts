import fc from "fast-check";
import { expect, test } from "vitest";
import { filesFor, openFilesLimit, openFilesWithin } from "../../../gateway/beside/open-files.ts";

test("W188 a limit that is large enough, or that nobody knows, takes nothing away", () => {
  for (const limit of [filesFor(10_000), undefined])
    expect(openFilesWithin(limit, 10_000)).toEqual({ connections: 10_000, reads: 512, isShort: false });
});

test("W188 below it clients and readers of bodies together leave files for everything else, and each keeps some", () => {
  const limits = fc.integer({ min: 256, max: 20_000 });
  fc.assert(
    fc.property(limits, fc.integer({ min: 1, max: 20_000 }), (limit, maxConnections) => {
      const { connections, reads, isShort } = openFilesWithin(limit, maxConnections);
      expect(isShort).toBe(limit < filesFor(maxConnections));
      expect(connections + reads).toBeLessThanOrEqual(limit - 128);
      expect(Math.min(connections, reads)).toBeGreaterThan(0);
      expect(connections).toBeLessThanOrEqual(maxConnections);
    }),
  );
});

test.runIf(process.platform === "linux")("the limit of this process is known", () => {
  expect(openFilesLimit()).toBeGreaterThan(100);
});
