import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The tables of the specification: the fields in their order; `?` marks those that may hold null. */
const tables: Readonly<Record<string, string>> = {
  ProgramListItem:
    "id name status departureDate? returnDate? durationDays? duration? capacity currency? category? guide? prices",
  ProgramDetail:
    "id name status departureDate? returnDate? durationDays? duration? capacity currency? category? guide? prices " +
    "description? departurePoint? hotels marketingTags? staff? accommodation? transport? media? content?",
  Capacity: "total used remaining",
  Duration: "days nights",
  Prices: "startingAmount? rooms children",
  RoomPrice: "occupancy amount",
  ChildPrice: "minAge maxAge amount",
  HotelStay: "name? location? checkIn? checkOut? starLevel?",
  Category: "type? subtype?",
  Guide: "name",
  Staff: "leadGuide? teachers",
  StaffTeacher: "name gender? roleLabel?",
  Accommodation: "stays description?",
  Transport: "flights",
  Flight: "airline",
  AirlineBrand: "code logoUrl?",
  PublicMedia: "coverUrl? galleryUrls",
  PublicContent: "included excluded visits accommodationDescription? faq itinerary",
  FaqEntry: "question answer",
  ItineraryEntry: "title description?",
};

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}
const file = new URL("../../../schemas/program.schema.json", import.meta.url);
const definitions: Readonly<Record<string, ObjectSchema>> = JSON.parse(readFileSync(file, "utf8")).$defs;

test.each(Object.entries(tables))(
  "%s has the specified fields, in their order, null where allowed",
  (name, table) => {
    const properties = Object.entries(definitions[name]?.properties ?? {});
    expect(properties.map(([field, schema]) => (mayBeNull(schema) ? `${field}?` : field)).join(" ")).toBe(
      table,
    );
  },
);

test("there are no other objects", () => {
  expect(Object.keys(definitions).sort()).toEqual(Object.keys(tables).sort());
});

test("the detail describes the list's fields exactly as the list does", () => {
  const list = definitions.ProgramListItem?.properties ?? {};
  const detail = definitions.ProgramDetail?.properties ?? {};
  expect(Object.fromEntries(Object.entries(detail).filter(([field]) => field in list))).toEqual(list);
});

function mayBeNull(schema: object): boolean {
  if ("type" in schema && Array.isArray(schema.type)) return schema.type.includes("null");
  if (!("anyOf" in schema) || !Array.isArray(schema.anyOf)) return false;
  return schema.anyOf.some((part) => part.type === "null");
}
