import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../../core/process/setting-parser.ts";
import { gatewaySettings } from "../../../core/process/settings.ts";
import type { TrustedProxies } from "../../../core/process/trusted-proxies.ts";
import { ipAddress } from "../../../core/process/trusted-proxies.ts";

function trusted(list: string): TrustedProxies {
  const parsed = parseSettings(gatewaySettings, { TRUSTED_PROXIES: list });
  if (!parsed.ok || parsed.values.trustedProxies === undefined) return expect.fail("a fault");
  return parsed.values.trustedProxies;
}

describe("TRUSTED_PROXIES", () => {
  test("takes addresses and networks of both families", () => {
    const proxies = trusted(" 10.0.0.12, 172.16.0.0/12 ,2001:db8::/32,::1, ::ffff:192.0.2.1");
    for (const address of ["10.0.0.12", "172.16.0.0", "172.31.255.255", "2001:db8:1::9", "::1", "192.0.2.1"])
      expect([address, proxies.has(address)]).toEqual([address, true]);
    for (const address of ["10.0.0.13", "172.32.0.0", "2001:db9::1", "::2", "192.0.2.2"])
      expect([address, proxies.has(address)]).toEqual([address, false]);
  });

  test("W98 names every malformed entry, beside the faults of other settings", () => {
    const wrong = "10.0.0.0/33 ::/129 10.0.0.0/08 10.0.0.0/ 1.2.3.4/8/8 proxy 010.0.0.1 fe80::1%eth0 *".split(
      " ",
    );
    const parsed = parseSettings(gatewaySettings, {
      TRUSTED_PROXIES: `10.0.0.1,,${wrong.join(",")}`,
      PORT: "x",
    });
    if (parsed.ok) return expect.fail("taken");
    const [fault = "", ...others] = parsed.faults.filter((line) => line.startsWith("TRUSTED_PROXIES "));
    expect(others).toEqual([]);
    for (const entry of wrong) expect(fault).toContain(JSON.stringify(entry));
    expect(fault).toContain("an empty entry");
    expect(fault.split("these are none")[1]).not.toContain('"10.0.0.1"');
    expect(parsed.faults.some((line) => line.startsWith("PORT "))).toBe(true);
  });

  test("a network has exactly the addresses that share its first bits", () => {
    const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const dotted = (value: number): string =>
      [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
    fc.assert(
      fc.property(number, number, fc.integer({ min: 0, max: 32 }), (network, address, length) => {
        const host = 2 ** (32 - length);
        const shares = Math.floor(network / host) === Math.floor(address / host);
        expect(trusted(`${dotted(network)}/${length}`).has(dotted(address))).toBe(shares);
      }),
    );
  });
});

describe("an address", () => {
  test("has one form, however it was written", () => {
    expect(ipAddress("2001:DB8:0:0::1")).toBe("2001:db8::1");
    expect(ipAddress("::FFFF:c000:201")).toBe("192.0.2.1");
    expect(ipAddress("192.0.2.1")).toBe("192.0.2.1");
  });

  test("in its form stays as it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = ipAddress(text) ?? expect.fail(text);
        expect(ipAddress(address)).toBe(address);
        expect(address).toMatch(/^[\da-f.:]{2,39}$/);
      }),
    );
  });
});
