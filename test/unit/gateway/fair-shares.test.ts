import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { parseTenantId, parseTokenId } from "../../../core/ground/ids.ts";
import { type Asker, FairShares, Turns } from "../../../gateway/bodies/fair-shares.ts";

const asker = (tenant: string, token = 0): Asker => ({
  tenantId: parseTenantId(tenant),
  tokenId: parseTokenId(`tok_${token.toString(16).padStart(16, "0")}`),
});
const a = asker("a").tenantId;

/** Work that goes on until the test ends it, and how much of it has begun. */
function holders(shares: FairShares) {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const hold = (of: Asker): Promise<void> =>
    shares.during(of, "Working", undefined, () => {
      begun.push(of.tenantId);
      return new Promise((resolve) => ends.push(resolve));
    });
  return { hold, begun, ends };
}

test("W185 one tenant gets half, the next one a third each, and a tenant that comes finds a share", () => {
  const shares = new FairShares(512);
  const takenBy = (tenant: string): number => {
    let taken = 0;
    while (shares.take(parseTenantId(tenant), 1)) taken += 1;
    return taken;
  };
  expect(["a", "b", "c", "d"].map(takenBy)).toEqual([256, 128, 64, 32]);
});

test("W185 work is told how long it waited for its turn, which its deadline takes into account", async () => {
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const shares = new FairShares(2);
  const { hold, ends } = holders(shares);
  vi.advanceTimersByTime(1000);
  const first = hold(asker("a"));
  const waited = shares.during(asker("a"), "Working", undefined, async (waitedMs) => waitedMs);
  vi.advanceTimersByTime(250);
  ends[0]?.();
  expect(await waited).toBe(250);
  await first;
});

test("W185 whatever was taken and given back before, a tenant that holds nothing may begin, until as many tenants as shares hold one", () => {
  const step = fc.record({ tenant: fc.nat({ max: 9 }), gives: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const shares = new FairShares(1024);
      const held = new Map<string, number>();
      for (const { tenant, gives } of steps) {
        const name = `t${tenant}`;
        const now = held.get(name) ?? 0;
        if (gives && now > 0) {
          shares.give(parseTenantId(name), 1);
          held.set(name, now - 1);
        } else while (shares.take(parseTenantId(name), 1)) held.set(name, (held.get(name) ?? 0) + 1);
      }
      expect(shares.take(parseTenantId("newcomer"), 1)).toBe(true);
    }),
  );
});

test("W185 tenants take turns, within a tenant its tokens, within a token the first comes first", () => {
  const turns = new Turns<string>();
  for (const item of ["1", "2", "3"]) turns.add(asker("a", 1), `a1.${item}`);
  turns.add(asker("a", 2), "a2.1");
  for (const item of ["1", "2"]) turns.add(asker("b", 3), `b3.${item}`);
  turns.add(asker("c", 4), "c4.1");
  turns.remove(asker("c", 4), "c4.1");
  const all = Array.from({ length: 7 }, () => turns.next(() => true));
  expect(all).toEqual(["a1.1", "b3.1", "a2.1", "b3.2", "a1.2", "a1.3", undefined]);
});

test("W185 who waits begins when its tenant may, before later ones of its tenant, and after those of tenants that hold less", async () => {
  const shares = new FairShares(2);
  const { hold, begun, ends } = holders(shares);
  for (const tenant of ["a", "a", "a", "b", "c"]) void hold(asker(tenant));
  expect(begun).toEqual(["a", "b"]);
  // What b gives back is for c, since a holds one.
  ends[1]?.();
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "c"]));
  ends[0]?.();
  await vi.waitFor(() => expect(begun).toEqual(["a", "b", "c", "a"]));
});

test("W185 who has waited too long is refused, with a cause of its own, and counted; who leaves before is not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const refused = vi.fn();
  const shares = new FairShares(1, 1000, refused);
  const { hold, begun, ends } = holders(shares);
  void hold(asker("a"));
  const late = expect(hold(asker("a"))).rejects.toMatchObject({ code: "no_share" });
  const left = new AbortController();
  const gone = expect(shares.during(asker("b"), "Working", left.signal, async () => {})).rejects.toThrow(
    "left",
  );
  left.abort(new Error("left"));
  await gone;
  await vi.advanceTimersByTimeAsync(1000);
  await late;
  expect(refused).toHaveBeenCalledTimes(1);
  ends[0]?.();
  await vi.waitFor(() => expect(shares.take(a, 1)).toBe(true));
  expect(begun).toEqual(["a"]);
});

test("a share is given back when the work fails, and when the work throws at once", async () => {
  const shares = new FairShares(1);
  const fail = (): never => {
    throw new Error("failed");
  };
  await expect(shares.during(asker("a"), "Working", undefined, async () => fail())).rejects.toThrow("failed");
  await expect(shares.during(asker("a"), "Working", undefined, fail)).rejects.toThrow("failed");
  expect(shares.take(a, 1)).toBe(true);
});
