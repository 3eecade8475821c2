import { describe, expect, test } from "vitest";
import type { StaffRow } from "../../../cli/publish/public-program/program-source.ts";
import { published } from "../../support/program-source.ts";

describe("hotel stays", () => {
  test("D39 stand in source order, in hotels and in accommodation.stays alike", () => {
    const { detail } = published({
      hotelStays: [
        ["Zeta", null, null, null, null],
        [null, "Rome", "2027-05-02", "2027-05-01", 5],
      ],
    });
    expect(detail.hotels).toEqual([
      { name: "Zeta", location: null, checkIn: null, checkOut: null, starLevel: null },
      { name: null, location: "Rome", checkIn: "2027-05-02", checkOut: "2027-05-01", starLevel: 5 },
    ]);
    expect(detail.accommodation).toEqual({ stays: detail.hotels, description: null });
  });

  test.each([0, 6, -1, 4.5])("D30 star level %j is null with a warning", (stars) => {
    const { detail, warnings } = published({ hotelStays: [["Inn", null, null, null, stars]] });
    expect(detail.hotels[0]?.starLevel).toBeNull();
    expect(warnings).toEqual([`star_level_invalid hotels[0].starLevel = ${stars}`]);
  });

  test("D35 a stay without any known field is dropped with a warning", () => {
    const { detail, warnings } = published({
      hotelStays: [
        [" ", null, null, null, null],
        ["Inn", null, null, null, null],
      ],
    });
    expect(detail.hotels.map(({ name }) => name)).toEqual(["Inn"]);
    expect(warnings).toEqual(["stay_empty hotels[0] = null"]);
  });
});

describe("staff", () => {
  const lea: StaffRow = ["lead_guide", "Lea", "female", "boss"];

  test("is the lead guide by display name and the teachers in source order", () => {
    const { detail, warnings } = published({
      staff: [["TEACHER", "Tom", "Male", "history"], lea, ["teacher", "Ann", "FEMALE", " "]],
    });
    expect(detail.staff).toEqual({
      leadGuide: { name: "Lea" },
      teachers: [
        { name: "Tom", gender: "male", roleLabel: "history" },
        { name: "Ann", gender: "female", roleLabel: null },
      ],
    });
    expect(warnings).toEqual([]);
  });

  test("D34 of several lead guides the first by position is published", () => {
    const { detail, warnings } = published({ staff: [lea, ["lead_guide", "Max", null, null]] });
    expect(detail.staff?.leadGuide).toEqual({ name: "Lea" });
    expect(warnings).toEqual(["lead_guide_surplus staff[1] = Max"]);
  });

  test("D35 a teacher without a name is dropped with a warning", () => {
    const { detail, warnings } = published({ staff: [lea, ["teacher", null, "male", "history"]] });
    expect([detail.staff?.teachers, warnings]).toEqual([[], ["text_missing staff[1].name = null"]]);
  });

  test.each([null, "", "driver", "guide"])("D35 the role %j is dropped with a warning", (role) => {
    const { detail, warnings } = published({ staff: [[role, "Dan", null, null], lea] });
    expect(detail.staff).toEqual({ leadGuide: { name: "Lea" }, teachers: [] });
    expect(warnings).toEqual([`staff_role_unknown staff[0].role = ${role}`]);
  });

  test.each(["diverse", "m", "males"])("D30 the gender %j is null with a warning", (gender) => {
    const { detail, warnings } = published({ staff: [["teacher", "Tom", gender, null]] });
    expect(detail.staff?.teachers[0]?.gender).toBeNull();
    expect(warnings).toEqual([`gender_invalid staff[0].gender = ${gender}`]);
  });
});
