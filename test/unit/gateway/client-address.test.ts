import { isIP, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../../core/process/setting-parser.ts";
import { gatewaySettings } from "../../../core/process/settings.ts";
import { ipAddress } from "../../../core/process/trusted-proxies.ts";
import { type ClientAddresses, createClientAddresses } from "../../../gateway/request/client-address.ts";

function addresses(list: string): ClientAddresses {
  const parsed = parseSettings(gatewaySettings, { TRUSTED_PROXIES: list });
  if (!parsed.ok || parsed.values.trustedProxies === undefined) return expect.fail("a fault");
  return createClientAddresses(parsed.values.trustedProxies);
}

const { clientOf, isProxy } = addresses("10.0.0.0/8,2001:db8:ffff::/48");
const byList = (...values: readonly string[]): string | undefined =>
  clientOf(values.flatMap((value) => ["X-Forwarded-For", value]));
const byForwarded = (...values: readonly string[]): string | undefined =>
  clientOf(values.flatMap((value) => ["forwarded", value]));

describe("X-Forwarded-For", () => {
  test("W98 the rightmost address that is no trusted proxy's is the client's", () => {
    expect(byList("203.0.113.7")).toBe("203.0.113.7");
    expect(byList("198.51.100.9, 203.0.113.7, 10.0.0.2,2001:db8:ffff::1")).toBe("203.0.113.7");
    expect(byList("10.0.0.3, 10.0.0.2")).toBe("10.0.0.3");
  });

  test("ports, brackets and several lines are understood", () => {
    expect(byList("203.0.113.7:4711")).toBe("203.0.113.7");
    expect(byList("2001:DB8::7")).toBe("2001:db8::7");
    expect(byList("[2001:db8::7]:443")).toBe("2001:db8::7");
    expect(byList("::ffff:203.0.113.7")).toBe("203.0.113.7");
    expect(byList("198.51.100.9", "203.0.113.7, ,", "10.0.0.2")).toBe("203.0.113.7");
  });

  test("behind what is no address nothing counts", () => {
    for (const value of [
      "203.0.113.7, unknown, 10.0.0.2",
      "203.0.113.7, x",
      "203.0.113.7:123456",
      "",
      ",",
      "-",
    ])
      expect([value, byList(value)]).toEqual([value, undefined]);
    expect(clientOf(["X-Forwarded-Fox", "203.0.113.7"])).toBeUndefined();
  });

  test("a row of trusted proxies that never ends is not followed", () => {
    expect(byList(`203.0.113.7${", 10.0.0.2".repeat(32)}`)).toBe("203.0.113.7");
    expect(byList(`203.0.113.7${", 10.0.0.2".repeat(33)}`)).toBeUndefined();
  });
});

describe("Forwarded", () => {
  test("W98 is read as RFC 7239 writes it", () => {
    expect(byForwarded('For="[2001:db8:cafe::17]:4711"')).toBe("2001:db8:cafe::17");
    expect(byForwarded("for=192.0.2.60;proto=http;by=203.0.113.43")).toBe("192.0.2.60");
    expect(byForwarded("for=192.0.2.43, for=10.0.0.17")).toBe("192.0.2.43");
    expect(byForwarded("for=192.0.2.43", 'host="a, for=1.1.1.1";for="10.0.0.17:_p"')).toBe("192.0.2.43");
    expect(byForwarded('for="\\1\\92.0.2.43"')).toBe("192.0.2.43");
    expect(byForwarded("for=192.0.2.60:80 ; proto=https ,, ")).toBe("192.0.2.60");
  });

  test("behind what names no address nothing counts", () => {
    for (const last of ["for=unknown", "for=_hidden", 'for="_gazonk:80"', "proto=https", "for=2001:db8::1"])
      expect([last, byForwarded(`for=192.0.2.43, ${last}, for=10.0.0.2`)]).toEqual([last, undefined]);
  });

  test("a malformed value counts as a whole for nothing", () => {
    const values = [
      'for="192.0.2.43',
      "for=192.0.2.43;for=192.0.2.44",
      "for = 192.0.2.43",
      "for=",
      "192.0.2.43",
    ];
    for (const value of values)
      expect([value, byForwarded(`${value}, for=192.0.2.1`)]).toEqual([value, undefined]);
  });
});

test("W98 two headers that disagree name nobody", () => {
  const both = (forwarded: string, list: string): string | undefined =>
    clientOf(["X-Forwarded-For", list, "Forwarded", forwarded]);
  expect(both("for=203.0.113.7", "203.0.113.7, 10.0.0.2")).toBe("203.0.113.7");
  expect(both("for=203.0.113.8", "203.0.113.7")).toBeUndefined();
  expect(both("for=unknown", "203.0.113.7")).toBeUndefined();
});

test("only the peer that is trusted is a proxy, whatever family the listener sees it in", () => {
  const peer = (remoteAddress: string | undefined): boolean => isProxy({ remoteAddress } as Socket);
  expect(["10.1.2.3", "::ffff:10.1.2.3", "2001:db8:ffff::1%eth0"].map(peer)).toEqual([true, true, true]);
  expect(["11.0.0.1", "::1", "", undefined].map(peer)).toEqual([false, false, false, false]);
});

test("W98 whatever the headers say, the client is a parsed address or nobody", () => {
  const piece = fc.constantFrom(...'for= " \\ , ; [ ] : 10.0.0.1 ::1 unknown _a'.split(" "), " ");
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece).map((pieces) => pieces.join("")),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("Forwarded", "X-FORWARDED-FOR"), value)), (headers) => {
      const client = clientOf(headers.flat());
      if (client !== undefined) expect([isIP(client) > 0, ipAddress(client)]).toEqual([true, client]);
    }),
    { numRuns: 1000 },
  );
});

test("W98 both headers of one chain of proxies name the same client, whatever stands before it", () => {
  const own = fc.oneof(fc.ipV4(), fc.ipV6()).filter((text) => {
    const address = ipAddress(text) ?? "";
    return !address.startsWith("10.") && !address.startsWith("2001:db8:ffff:");
  });
  const proxy = fc.nat({ max: 255 }).map((last) => `10.0.0.${last}`);
  const chain = fc.tuple(fc.array(fc.ipV4(), { maxLength: 3 }), own, fc.array(proxy, { maxLength: 5 }));
  fc.assert(
    fc.property(chain, ([strangers, client, proxies]) => {
      const nodes = [...strangers, client, ...proxies];
      const quoted = nodes.map((node) =>
        node.includes(":") ? `for="[${node}]:80"` : `For=${node};proto=https`,
      );
      expect(byList(nodes.join(", "))).toBe(ipAddress(client));
      expect(byForwarded(quoted.join(", "))).toBe(ipAddress(client));
    }),
  );
});
