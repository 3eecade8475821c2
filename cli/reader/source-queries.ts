/**
 * The queries of the generator: one per view and tenant, `$1` being the tenant. They name every column that is read
 * and nothing else, so that an extra (private) column of a view can never leave the database. Order and grouping use
 * the "C" collation: the same on every server, whatever its locale.
 */
export const tenantsQuery = `
  SELECT tenant_id::text, name::text FROM partner_source.tenants ORDER BY tenant_id::text COLLATE "C"`;

/** What is read of each view beside the ids of tenant and program; of `programs` in the order of `programColumn`. */
const columns = {
  programs: `name::text, lifecycle_state::text, departure_date::text, return_date::text, capacity_total::text,
         currency::text, category_type::text, category_subtype::text, guide_name::text, legacy_price::text,
         description::text, departure_point::text, to_json(marketing_tags::text[]),
         accommodation_description::text, cover_url::text, to_json(gallery_urls::text[]),
         to_json(included::text[]), to_json(excluded::text[]), to_json(visits::text[])`,
  room_prices: "occupancy, amount::text",
  child_prices: "min_age, max_age, amount::text",
  hotel_stays: "position, name::text, location::text, check_in::text, check_out::text, star_level",
  enrollments: "role::text, status::text",
  staff: "position, role::text, name::text, gender::text, role_label::text",
  flights: "position, airline_code::text, airline_logo_url::text",
  itinerary: "position, title::text, description::text",
  faq: "position, question::text, answer::text",
} as const;

type ProgramView = keyof typeof columns;

export const programsQuery = `
  SELECT program_id::text, tenant_id::text, ${columns.programs}
    FROM partner_source.programs
   WHERE tenant_id = $1
   ORDER BY program_id::text COLLATE "C"`;

/**
 * The children of each program as one JSON array of tuples: a tenth of the rows that would cross otherwise. Grouped by
 * the ids as text, too, since a type may call different ids equal (citext), and by the ids themselves for their indexes.
 */
export const childQueries = {
  roomPrices: tuplesOf("room_prices"),
  childPrices: tuplesOf("child_prices"),
  hotelStays: tuplesOf("hotel_stays"),
  enrollments: `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(role, status, enrolled))
    FROM (SELECT tenant_id::text, program_id::text, ${columns.enrollments}, count(*) AS enrolled
            FROM partner_source.enrollments
           WHERE tenant_id = $1
           GROUP BY tenant_id, program_id, tenant_id::text, program_id::text, role::text, status::text) AS counted
   GROUP BY tenant_id, program_id
   ORDER BY 1`,
  staff: tuplesOf("staff"),
  flights: tuplesOf("flights"),
  itinerary: tuplesOf("itinerary"),
  faq: tuplesOf("faq"),
} as const;

export type ChildName = keyof typeof childQueries;

export const childViews: Readonly<Record<ChildName, string>> = {
  roomPrices: "room_prices",
  childPrices: "child_prices",
  hotelStays: "hotel_stays",
  enrollments: "enrollments",
  staff: "staff",
  flights: "flights",
  itinerary: "itinerary",
  faq: "faq",
};

/**
 * Of each view how many rows the tenant has and the sum of their hashes, which no order of the rows changes. What is hashed
 * are the very values that the other queries read. A change goes unseen once in 2^64.
 */
export const checksumsQuery = `${(Object.keys(columns) as ProgramView[]).map(checksumOf).join(" UNION ALL")}
   ORDER BY 1`;

/** Programs that no tenant owns, by the tenant id that they claim. */
export const strayProgramsQuery = `
  SELECT p.tenant_id::text, count(*)::int
    FROM partner_source.programs AS p
   WHERE NOT EXISTS (SELECT FROM partner_source.tenants AS t WHERE t.tenant_id::text COLLATE "C" = p.tenant_id::text COLLATE "C")
   GROUP BY 1
   ORDER BY 1`;

/** The same query for the one program `$2`. */
export function ofOneProgram(query: string): string {
  return query.replace("WHERE tenant_id = $1", "WHERE tenant_id = $1 AND program_id::text = $2");
}

/** Programs of any tenant whose id is that of `$1` but for case and surrounding spaces. */
export const elsewhereQuery = `
  SELECT tenant_id::text, program_id::text
    FROM partner_source.programs
   WHERE lower(trim(program_id::text)) = lower(trim($1))
   ORDER BY 1, 2
   LIMIT 10`;

function tuplesOf(view: Exclude<ProgramView, "programs" | "enrollments">): string {
  return `
  SELECT program_id::text COLLATE "C", tenant_id::text, json_agg(json_build_array(${columns[view]}))
    FROM partner_source.${view}
   WHERE tenant_id = $1
   GROUP BY tenant_id, program_id, tenant_id::text, program_id::text
   ORDER BY 1`;
}

function checksumOf(view: ProgramView): string {
  return `
  SELECT '${view}', count(*)::text,
         sum(hashtextextended(ROW(program_id::text, tenant_id::text, ${columns[view]})::text COLLATE "C", 0))::text
    FROM partner_source.${view}
   WHERE tenant_id = $1`;
}
