import type { ProgramSource } from "../../cli/publish/public-program/program-source.ts";
import type { PlainRow, PlainSource } from "./plain-source.ts";

/** Inserts the rows of a program into all views, the children at positions in their order. */
export async function insertSource(
  source: PlainSource,
  tenantId: string,
  program: ProgramSource,
): Promise<void> {
  const key = { tenant_id: tenantId, program_id: program.programId };
  const children = async (view: string, rows: readonly PlainRow[]): Promise<void> => {
    await source.insert(view, ...rows.map((row) => ({ ...key, ...row })));
  };
  await source.insert("programs", {
    ...key,
    name: program.name,
    lifecycle_state: program.lifecycleState,
    departure_date: program.departureDate,
    return_date: program.returnDate,
    capacity_total: program.capacityTotal,
    currency: program.currency,
    category_type: program.categoryType,
    category_subtype: program.categorySubtype,
    guide_name: program.guideName,
    legacy_price: program.legacyPrice,
    description: program.description,
    departure_point: program.departurePoint,
    marketing_tags: program.marketingTags,
    accommodation_description: program.accommodationDescription,
    cover_url: program.coverUrl,
    gallery_urls: program.galleryUrls,
    included: program.included,
    excluded: program.excluded,
    visits: program.visits,
  });
  await children(
    "room_prices",
    program.roomPrices.map(([occupancy, amount]) => ({ occupancy, amount })),
  );
  await children(
    "child_prices",
    program.childPrices.map(([min_age, max_age, amount]) => ({ min_age, max_age, amount })),
  );
  await children(
    "hotel_stays",
    program.hotelStays.map(([name, location, check_in, check_out, star_level], position) => ({
      position,
      name,
      location,
      check_in,
      check_out,
      star_level,
    })),
  );
  for (const [role, status, count] of program.enrollments) {
    await children(
      "enrollments",
      Array.from({ length: count }, () => ({ role, status })),
    );
  }
  await children(
    "staff",
    program.staff.map(([role, name, gender, role_label], position) => ({
      position,
      role,
      name,
      gender,
      role_label,
    })),
  );
  await children(
    "flights",
    program.flights.map(([airline_code, airline_logo_url], position) => ({
      position,
      airline_code,
      airline_logo_url,
    })),
  );
  await children(
    "itinerary",
    program.itinerary.map(([title, description], position) => ({ position, title, description })),
  );
  await children(
    "faq",
    program.faq.map(([question, answer], position) => ({ position, question, answer })),
  );
}
