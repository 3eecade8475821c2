-- The ten views of the contract. They show no private column, and a condition on `tenant_id` can
-- use every table's index.

-- A program whose last travel date is past where its company is at home has ended, whether or not anybody
-- has marked it as completed.
CREATE FUNCTION booking.lifecycle_state(
  state booking.program_state, departure_date date, return_date date, time_zone text, at timestamptz
) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE
  WHEN state = 'active' AND greatest(departure_date, return_date) < (at AT TIME ZONE time_zone)::date THEN 'ended'
  ELSE state::text
END;

CREATE VIEW partner_source.tenants AS
  SELECT code AS tenant_id, name FROM booking.companies;

CREATE VIEW partner_source.programs AS
  SELECT p.company_code AS tenant_id, p.code AS program_id, p.name,
         booking.lifecycle_state(p.state, p.departure_date, p.return_date, c.time_zone, now()) AS lifecycle_state,
         p.departure_date, p.return_date, p.capacity AS capacity_total,
         coalesce(p.currency, c.default_currency) AS currency,
         p.category_type, p.category_subtype, p.guide_display_name AS guide_name,
         p.single_price AS legacy_price,
         m.description, p.departure_point, m.tags AS marketing_tags, m.accommodation_description,
         u.cover_url, coalesce(u.gallery_urls, '{}') AS gallery_urls,
         m.included, m.excluded, m.visits
    FROM booking.programs AS p
    JOIN booking.companies AS c ON c.code = p.company_code
    LEFT JOIN booking.marketing_copy AS m ON m.company_code = p.company_code AND m.program_code = p.code
    -- Joined, since PostgreSQL never works in parallel on a subquery for each program.
    LEFT JOIN (SELECT company_code, program_code,
                      (array_agg(url ORDER BY position) FILTER (WHERE kind = 'cover'))[1] AS cover_url,
                      array_agg(url ORDER BY position) FILTER (WHERE kind = 'gallery') AS gallery_urls
                 FROM booking.media GROUP BY company_code, program_code
              ) AS u ON u.company_code = p.company_code AND u.program_code = p.code;

CREATE VIEW partner_source.room_prices AS
  SELECT company_code AS tenant_id, program_code AS program_id, t.occupancy, r.amount
    FROM booking.room_prices AS r
    JOIN booking.room_types AS t USING (company_code)
   WHERE t.code = r.room_type_code;

CREATE VIEW partner_source.child_prices AS
  SELECT company_code AS tenant_id, program_code AS program_id, min_age, max_age, amount
    FROM booking.child_price_bands;

CREATE VIEW partner_source.hotel_stays AS
  SELECT company_code AS tenant_id, program_code AS program_id, s.position, h.name,
         nullif(concat_ws(', ', h.city, h.country), '') AS location,
         s.check_in, s.check_out, h.star_rating::integer AS star_level
    FROM booking.hotel_stays AS s
    JOIN booking.hotels AS h USING (company_code)
   WHERE h.code = s.hotel_code;

CREATE VIEW partner_source.enrollments AS
  SELECT company_code AS tenant_id, program_code AS program_id, status::text, role::text
    FROM booking.enrollments;

CREATE VIEW partner_source.staff AS
  SELECT company_code AS tenant_id, program_code AS program_id, a.position, a.duty::text AS role,
         s.display_name AS name, s.gender::text, a.role_label
    FROM booking.staff_assignments AS a
    JOIN booking.staff AS s USING (company_code)
   WHERE s.number = a.staff_number AND a.duty IN ('lead_guide', 'teacher');

CREATE VIEW partner_source.flights AS
  SELECT f.company_code AS tenant_id, f.program_code AS program_id, f.position, a.code AS airline_code,
         a.logo_url AS airline_logo_url
    FROM booking.flights AS f
    JOIN booking.airlines AS a ON a.code = f.airline_code;

CREATE VIEW partner_source.itinerary AS
  SELECT company_code AS tenant_id, program_code AS program_id, day AS position, title,
         public_description AS description
    FROM booking.program_days;

CREATE VIEW partner_source.faq AS
  SELECT company_code AS tenant_id, program_code AS program_id, position, question, answer
    FROM booking.faq;
