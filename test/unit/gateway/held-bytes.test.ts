import { expect, test } from "vitest";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { HeldBytes } from "../../../gateway/bodies/held-bytes.ts";

const tenantId = parseTenantId("a");

function stage(maxBytes: number) {
  const cached = new Set<object>();
  const held = new HeldBytes<{ tenantId: typeof tenantId; bytes: Buffer }>(maxBytes, (form) =>
    cached.has(form),
  );
  const form = (bytes: number) => {
    const made = { tenantId, bytes: Buffer.alloc(bytes) };
    cached.add(made);
    return made;
  };
  const hasRoom = async (bytes: number): Promise<boolean> =>
    (await held.during(tenantId, bytes, async () => "done")) === "done";
  return { held, cached, form, hasRoom };
}

test("W186 bytes of work under way count until it is over, also when it fails", async () => {
  const { held, hasRoom } = stage(100);
  let end = (): void => {};
  const work = held.during(tenantId, 60, () => new Promise<void>((resolve) => (end = resolve)));
  expect([await hasRoom(40), await hasRoom(1)]).toEqual([false, false]);
  end();
  await work;
  await expect(held.during(tenantId, 60, () => Promise.reject(new Error("failed")))).rejects.toThrow(
    "failed",
  );
  expect([await hasRoom(100), await hasRoom(101)]).toEqual([true, false]);
});

test("W186 a body that is being sent counts once the cache has dropped it, once for all its readers, until the last has it", async () => {
  const { held, cached, form, hasRoom } = stage(100);
  const body = form(60);
  const [first, second] = [held.sending(body), held.sending(body)];
  expect(await hasRoom(100)).toBe(true);
  cached.delete(body);
  held.dropped(body);
  held.dropped(body);
  expect(await hasRoom(1)).toBe(false);
  first();
  expect(await hasRoom(1)).toBe(false);
  second();
  expect(await hasRoom(100)).toBe(true);
});

test("W186 a body that the cache dropped before it is sent counts from then on; one that nobody reads never does", async () => {
  const { held, cached, form, hasRoom } = stage(100);
  const [sent, unread] = [form(30), form(90)];
  cached.clear();
  held.dropped(unread);
  expect(await hasRoom(100)).toBe(true);
  const over = held.sending(sent);
  expect([await hasRoom(40), await hasRoom(41)]).toEqual([true, false]);
  over();
  expect(await hasRoom(100)).toBe(true);
});
