-- Makes what programs tell about themselves. A program in the situation `no_marketing` tells nothing.

CREATE FUNCTION pg_temp.make_texts() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    -- Longer tours publish their highlights: arrival, every place visited, farewell.
    INSERT INTO booking.program_days (company_code, program_code, day, title, public_description,
        daily_plan, driver_instructions)
      SELECT p.company_code, p.code, n,
             CASE WHEN n > 1 AND n = shown THEN c.farewell
               WHEN n = 1 AND shown > 1 THEN replace(c.arrival, '{city}', c.hotels[p.hotels[1]][2])
               ELSE p.visits[greatest(n - 1, 1)] END,
             CASE WHEN (n = 1 OR n < shown) AND (dice + n) % 7 > 0 THEN c.days[1 + (dice + n) % cardinality(c.days)] END,
             pg_temp.rare_canary('program_days.daily_plan', p.code, p.index, n),
             pg_temp.rare_canary('program_days.driver_instructions', p.code, p.index, n)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN LATERAL (SELECT least(p.length, cardinality(p.visits) + 2) AS shown,
                                  pg_temp.dice(p.key, 'days', 7) AS dice) AS highlights
       CROSS JOIN generate_series(1, shown) AS n
       WHERE p.situation <> 'no_marketing';

    -- Some programs get an empty list of what is excluded.
    INSERT INTO booking.marketing_copy (company_code, program_code, description, accommodation_description, tags,
        included, excluded, visits, campaign_notes)
      SELECT p.company_code, p.code, p.description,
             CASE WHEN pg_temp.dice(p.key, 'accommodation', 5) > 0 THEN c.accommodation END,
             CASE WHEN pg_temp.dice(p.key, 'tags', 10) > 0 THEN p.tags END,
             c.included[:2 + pg_temp.dice(p.key, 'included', cardinality(c.included) - 1)],
             c.excluded[:pg_temp.dice(p.key, 'excluded', cardinality(c.excluded) + 1)],
             p.visits, pg_temp.rare_canary('marketing_copy.campaign_notes', p.code, p.index, 1)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       WHERE p.situation <> 'no_marketing';

    -- The same table has material for printers, which is not published.
    INSERT INTO booking.media (company_code, program_code, position, kind, url, photographer_contact)
      SELECT p.company_code, p.code, n,
             CASE n WHEN 1 THEN 'cover' WHEN pictures THEN 'print' ELSE 'gallery' END::booking.media_kind,
             CASE n WHEN 1 THEN folder || 'cover.jpg'
               WHEN pictures THEN 'https://print.example.com/CANARY-media.print-' || p.code || '.tif'
               ELSE folder || n - 1 || '.jpg' END,
             pg_temp.rare_canary('media.photographer_contact', p.code, p.index, n)
        FROM sample_program AS p
       CROSS JOIN LATERAL (SELECT 3 + pg_temp.dice(p.key, 'media', 3) AS pictures,
                'https://images.example.com/' || p.company_code || '/' || p.index + 1 || '/' AS folder) AS shown
       CROSS JOIN generate_series(1, pictures) AS n
       WHERE p.situation <> 'no_marketing';

    INSERT INTO booking.faq (company_code, program_code, position, question, answer, editor_notes)
      SELECT p.company_code, p.code, n, c.faq[chosen][1], c.faq[chosen][2],
             pg_temp.rare_canary('faq.editor_notes', p.code, p.index, n)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN generate_series(1, 3) AS n
       CROSS JOIN LATERAL (SELECT 1 + (pg_temp.dice(p.key, 'faq', c.question_count) + n) % c.question_count AS chosen) AS choice
       WHERE p.situation <> 'no_marketing';
  END $$;
