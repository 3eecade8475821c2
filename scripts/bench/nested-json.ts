import { once } from "node:events";
import { createWriteStream } from "node:fs";
import pg from "pg";

/**
 * The yardstick of a build: PostgreSQL alone producing the same nested JSON, set-based, into a file. Returns
 * the number of programs. It maps, checks, hashes and compares nothing.
 */
export async function writeNestedJson(databaseUrl: string, path: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const file = createWriteStream(path);
  let programs = 0;
  try {
    // With a listener for rows `pg` keeps none of them.
    const query = client.query(new pg.Query<{ program: string }>(nestedJsonQuery));
    query.on("row", ({ program }) => {
      programs += 1;
      file.write(`${program}\n`);
    });
    await once(query, "end");
    return programs;
  } finally {
    file.end();
    await once(file, "close");
    await client.end();
  }
}

const nestedJsonQuery = `
  SELECT json_build_object(
           'id', p.program_id, 'name', p.name, 'status', 'active',
           'departureDate', p.departure_date, 'returnDate', p.return_date,
           'capacity', json_build_object('total', p.capacity_total, 'used', coalesce(e.used, 0)),
           'currency', p.currency,
           'category', json_build_object('type', p.category_type, 'subtype', p.category_subtype),
           'guide', p.guide_name,
           'prices', json_build_object('rooms', r.items, 'children', c.items),
           'description', p.description, 'departurePoint', p.departure_point, 'hotels', h.items,
           'marketingTags', p.marketing_tags, 'staff', s.items,
           'accommodation', p.accommodation_description, 'transport', f.items,
           'media', json_build_object('coverUrl', p.cover_url, 'galleryUrls', p.gallery_urls),
           'content', json_build_object('included', p.included, 'excluded', p.excluded, 'visits', p.visits,
                                        'faq', q.items, 'itinerary', i.items))::text AS program
    FROM partner_source.programs AS p
    LEFT JOIN (SELECT tenant_id, program_id, count(*) AS used FROM partner_source.enrollments
                WHERE role = 'passenger' AND status NOT IN ('cancelled', 'rejected', 'expired', 'refunded', 'no_show')
                GROUP BY 1, 2) AS e USING (tenant_id, program_id)
    ${children("room_prices", "r", "'occupancy', occupancy, 'amount', amount", "occupancy")}
    ${children("child_prices", "c", "'minAge', min_age, 'maxAge', max_age, 'amount', amount", "min_age")}
    ${children("hotel_stays", "h", "'name', name, 'location', location, 'checkIn', check_in, 'checkOut', check_out, 'starLevel', star_level", "position")}
    ${children("staff", "s", "'role', role, 'name', name, 'gender', gender, 'roleLabel', role_label", "position")}
    ${children("flights", "f", "'code', airline_code, 'logoUrl', airline_logo_url", "position")}
    ${children("faq", "q", "'question', question, 'answer', answer", "position")}
    ${children("itinerary", "i", "'title', title, 'description', description", "position")}
   WHERE p.lifecycle_state = 'active'`;

function children(view: string, alias: string, fields: string, order: string): string {
  return `LEFT JOIN (SELECT tenant_id, program_id, json_agg(json_build_object(${fields}) ORDER BY ${order}) AS items
                FROM partner_source.${view} GROUP BY 1, 2) AS ${alias} USING (tenant_id, program_id)`;
}
