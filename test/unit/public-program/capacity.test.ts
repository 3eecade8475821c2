import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { published } from "../../support/program-source.ts";

describe("capacity", () => {
  test("D29 used counts enrollments of passengers that are not terminal; staff takes no place", () => {
    const { detail, warnings } = published({
      capacityTotal: 30,
      enrollments: [
        ["passenger", "confirmed", 7],
        ["passenger", "pending", 2],
        ["passenger", "cancelled", 4],
        ["staff", "confirmed", 3],
        ["staff", "cancelled", 1],
      ],
    });
    expect([detail.capacity, warnings]).toEqual([{ total: 30, used: 9, remaining: 21 }, []]);
  });

  test.each(["cancelled", "canceled", "rejected", "declined", "expired", "refunded", "withdrawn", "no_show"])(
    "%s is terminal by default, case disregarded",
    (status) => {
      const enrollments = [
        ["passenger", status, 1],
        ["passenger", status.toUpperCase(), 1],
      ] as const;
      expect(published({ enrollments }).detail.capacity.used).toBe(0);
    },
  );

  test.each([null, "", "waitlist", "completed", "no show", " cancelled", "constructor"])(
    "the unknown status %j counts as used",
    (status) => {
      const { detail, warnings } = published({ enrollments: [["passenger", status, 2]] });
      expect([detail.capacity.used, warnings]).toEqual([2, []]);
    },
  );

  test.each([null, "", "guide", "passengers"])(
    "the unknown role %j counts as used, with a warning",
    (role) => {
      const { detail, warnings } = published({ enrollments: [[role, "confirmed", 2]] });
      expect(detail.capacity.used).toBe(2);
      expect(warnings).toEqual([`enrollment_role_unknown capacity.used = ${role}`]);
    },
  );

  test("D33 roles are compared without regard to case", () => {
    const enrollments = [
      ["PASSENGER", "x", 2],
      ["Staff", "x", 3],
    ] as const;
    expect(published({ enrollments })).toMatchObject({ detail: { capacity: { used: 2 } }, warnings: [] });
  });

  test.each([null, -1, -2147483648, "9007199254740993"])(
    "D28 the total %j is 0 with a warning",
    (capacityTotal) => {
      const { detail, warnings } = published({ capacityTotal, enrollments: [["passenger", "x", 1]] });
      expect(detail.capacity).toEqual({ total: 0, used: 1, remaining: 0 });
      expect(warnings).toEqual([`capacity_total_invalid capacity.total = ${capacityTotal}`]);
    },
  );

  test("D28 no place at all is a total like others", () => {
    const { detail, warnings } = published({ capacityTotal: 0 });
    expect([detail.capacity.total, warnings]).toEqual([0, []]);
  });

  test("D28 used is not capped at total, and remaining is max(0, total - used), whatever the numbers", () => {
    const counts = fc.array(fc.nat(1000), { maxLength: 5 });
    fc.assert(
      fc.property(fc.nat(5000), counts, (capacityTotal, passengers) => {
        const enrollments = passengers.map((count) => ["passenger", "confirmed", count] as const);
        const { total, used, remaining } = published({ capacityTotal, enrollments }).detail.capacity;
        expect(total).toBe(capacityTotal);
        expect(used).toBe(passengers.reduce((sum, count) => sum + count, 0));
        expect(remaining).toBe(Math.max(0, total - used));
      }),
    );
  });
});
