-- Makes the temporary tables of companies and programs that all rows of the sample follow from.

-- A whole number of 28 bits that follows from the key alone, so that it is the same on every
-- machine. Not for secrets.
CREATE FUNCTION pg_temp.random_of(key text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN ('x' || left(md5(key), 7))::bit(28)::integer;

-- A number below `sides` for one purpose of a program. Each purpose has its own, so that a new one
-- changes no other.
CREATE FUNCTION pg_temp.dice(key text, purpose text, sides integer) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN ('x' || left(md5(key || '/' || purpose), 7))::bit(28)::integer % sides;

-- The nearest multiple of the company's price step, but not 0. Never ends in .37, as all private
-- amounts do.
CREATE FUNCTION pg_temp.price(amount numeric, step numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
  RETURN greatest(round(amount / step), 1) * step;

CREATE FUNCTION pg_temp.make_facts(tenants integer, programs integer, seed text, today date) RETURNS void
LANGUAGE plpgsql AS $$
  DECLARE
    -- The special cases that a company's first 24 programs show, one each. Further programs start
    -- the list again.
    situations text[] := '{
      ordinary, sold_out, overbooked, draft, ordinary, cancelled,
      no_dates, completed, legacy_price_only, archived, under_way, ended,
      return_before_departure, ordinary, no_prices, all_enrollments_terminal, many_staff_enrolled, ordinary,
      no_marketing, one_day, no_return_date, price_on_request, no_capacity, last_places}';
  BEGIN
    -- A company beyond the five known ones has a name of its own, and the rest from one of them in turn.
    CREATE TEMPORARY TABLE sample_company AS
      SELECT CASE WHEN n < 5 THEN known.code ELSE lower(place || '-' || trade || '-' || n) END COLLATE "C" AS code,
             CASE WHEN n < 5 THEN known.name ELSE place || ' ' || trade || ' ' || n END AS name,
             CASE WHEN n < 5 THEN known.prefix ELSE upper(left(place, 3)) || n END AS prefix,
             known.zone, known.currency, known.step, known.rate,
             least(greatest(40, 2 * programs), 20000) AS passenger_count,
             cardinality(words.guides) / 2 AS guide_count, cardinality(words.faq) / 2 AS question_count, words.*
        FROM generate_series(0, tenants - 1) AS n
        JOIN sample_known AS known ON position = n % 5
        JOIN sample_words AS words USING (script)
       CROSS JOIN sample_further AS further
       CROSS JOIN LATERAL (SELECT places[n % cardinality(places) + 1] AS place,
                                  trades[n / cardinality(places) % cardinality(trades) + 1] AS trade) AS named;

    CREATE TEMPORARY TABLE sample_program AS
      SELECT c.code AS company_code, p.index, p.key, situation, tour.*, plan.days AS length, departure, back,
             c.prefix || '-' || extract(year FROM coalesce(departure, today)) || '-'
               || lpad((p.index + 1)::text, greatest(4, length((p.index + 1)::text)), '0') AS code,
             tour.name || c.editions[p.index / tour.count % cardinality(c.editions) + 1] AS title,
             pg_temp.price(tour.price * c.rate * (85 + pg_temp.dice(p.key, 'price', 46)) / 100, c.step)
               AS double_price,
             1 + pg_temp.dice(p.key, 'guide', c.guide_count) AS guide,
             CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 0 WHEN 'many_staff_enrolled' THEN 5
               WHEN 'sold_out' THEN 10 WHEN 'overbooked' THEN 11 WHEN 'last_places' THEN 11
               ELSE 5 + pg_temp.dice(p.key, 'travelling', 9) END AS travelling,
             CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 7 WHEN 'many_staff_enrolled' THEN 0
               WHEN 'sold_out' THEN 2 WHEN 'overbooked' THEN 1 WHEN 'last_places' THEN 0
               ELSE pg_temp.dice(p.key, 'dropped', 5) END AS dropped,
             CASE situation WHEN 'draft' THEN 0 WHEN 'all_enrollments_terminal' THEN 0 WHEN 'many_staff_enrolled' THEN 4
               ELSE 1 END AS staff
        FROM sample_company AS c
       CROSS JOIN LATERAL (SELECT index, seed || '/' || c.code || '/' || index AS key,
                                  situations[index % cardinality(situations) + 1] AS situation
                             FROM generate_series(0, programs - 1) AS index) AS p
        JOIN sample_tour AS tour ON tour.script = c.script AND tour.position = p.index % tour.count
       CROSS JOIN LATERAL (SELECT CASE WHEN situation = 'one_day' THEN 1 ELSE tour.days END AS days,
               CASE
                 WHEN situation = 'no_dates' THEN NULL
                 -- Three days from today on both sides, so that the tour is under way in every time zone.
                 WHEN situation = 'under_way' THEN today - 3
                 WHEN situation IN ('ended', 'completed', 'archived')
                   THEN today - 30 - pg_temp.dice(p.key, 'departure', 271)
                 ELSE today + 7 + pg_temp.dice(p.key, 'departure', 324)
               END AS departure) AS plan
       CROSS JOIN LATERAL (SELECT CASE situation
                 WHEN 'no_return_date' THEN NULL
                 WHEN 'return_before_departure' THEN departure - 3
                 WHEN 'under_way' THEN today + 3
                 ELSE departure + plan.days - 1
               END AS back) AS way_back;

    ANALYZE pg_temp.sample_company, pg_temp.sample_program;
  END $$;
