-- Makes the programs, and the rows that belong to one of them, numbered by `n`.

-- Private columns of such rows are mostly empty in practice, so one row in five has a canary.
CREATE FUNCTION pg_temp.rare_canary(private_column text, program text, index integer, n integer) RETURNS text
LANGUAGE sql STABLE
  RETURN CASE WHEN (index + n) % 5 = 0 THEN 'CANARY-' || private_column || '-' || program || '.' || n END;

CREATE FUNCTION pg_temp.make_programs() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO booking.programs (company_code, code, name, state, category_type, category_subtype, departure_date,
        return_date, departure_point, capacity, currency, single_price, guide_display_name,
        daily_plan, internal_notes, responsible_agent, estimated_cost)
      SELECT p.company_code, p.code, p.title,
             CASE WHEN p.situation IN ('draft', 'cancelled', 'completed', 'archived') THEN p.situation
               ELSE 'active' END::booking.program_state,
             p.type, p.subtype, p.departure, p.back,
             c.departures[1 + pg_temp.dice(p.key, 'point', cardinality(c.departures))],
             CASE p.situation WHEN 'no_capacity' THEN NULL WHEN 'sold_out' THEN 10 WHEN 'overbooked' THEN 8
               WHEN 'last_places' THEN 13 ELSE 16 + pg_temp.dice(p.key, 'capacity', 33) END,
             -- Most programs are sold in the company's currency (NULL), and a few in another one.
             CASE WHEN pg_temp.dice(p.key, 'currency', 10) = 0 THEN 'USD' END,
             CASE WHEN p.situation = 'legacy_price_only'
                    OR (p.situation <> 'no_prices' AND pg_temp.dice(p.key, 'legacy', 100) < 15)
               THEN p.double_price END,
             CASE WHEN p.situation <> 'no_marketing' THEN c.guides[p.guide][1] END,
             pg_temp.canary('programs.daily_plan', p.code), pg_temp.canary('programs.internal_notes', p.code),
             pg_temp.canary('programs.responsible_agent', p.code), pg_temp.private_amount(p.double_price * 9)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       ORDER BY p.company_code, p.index;

    -- 0 means "on request"; such a price is not published.
    INSERT INTO booking.room_prices (company_code, program_code, room_type_code, amount,
        supplier_notes, supplier_cost)
      SELECT p.company_code, p.code, room.type,
             CASE WHEN p.situation = 'price_on_request' AND n = 2 THEN 0
               ELSE pg_temp.price(p.double_price * factor, c.step) END,
             pg_temp.rare_canary('room_prices.supplier_notes', p.code, p.index, n),
             pg_temp.private_amount(p.double_price)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN (VALUES (1, 'double', 1), (2, 'single', 1.35), (3, 'triple', 0.92), (4, 'quad', 0.85)
                  ) AS room (n, type, factor)
       WHERE p.situation NOT IN ('no_prices', 'legacy_price_only')
         AND (n < 3 OR pg_temp.dice(p.key, 'rooms', 100) < CASE n WHEN 3 THEN 85 ELSE 25 END);

    INSERT INTO booking.child_price_bands (company_code, program_code, min_age, max_age, amount, internal_notes)
      SELECT p.company_code, p.code, min_age, max_age,
             CASE WHEN factor = 0 THEN 0 ELSE pg_temp.price(p.double_price * factor, c.step) END,
             pg_temp.rare_canary('child_price_bands.internal_notes', p.code, p.index, n)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN (VALUES (1, 0, 1, 0), (2, 2, 6, 0.4), (3, 7, 11, 0.7)) AS band (n, min_age, max_age, factor)
       WHERE p.situation NOT IN ('no_prices', 'legacy_price_only')
         AND pg_temp.dice(p.key, 'children', 100) < CASE n WHEN 3 THEN 35 ELSE 85 END;

    INSERT INTO booking.hotel_stays (company_code, program_code, position, hotel_code, check_in, check_out,
        room_block_notes)
      SELECT p.company_code, p.code, n, 'H' || p.hotels[n], p.departure + (n - 1) * nights,
             p.departure + CASE WHEN n = cardinality(p.hotels) THEN p.length - 1 ELSE n * nights END,
             pg_temp.rare_canary('hotel_stays.room_block_notes', p.code, p.index, n)
        FROM sample_program AS p
       CROSS JOIN LATERAL (SELECT greatest((p.length - 1) / cardinality(p.hotels), 1) AS nights) AS each_stay
       CROSS JOIN generate_series(1, cardinality(p.hotels)) AS n
       WHERE p.length > 1;

    INSERT INTO booking.enrollments (company_code, program_code, number, role, status, passenger_number, staff_number,
        seat_request, internal_notes, amount_paid)
      SELECT p.company_code, p.code, n,
             CASE WHEN n > travelling + dropped THEN 'staff' ELSE 'passenger' END::booking.enrollment_role,
             CASE
               WHEN n <= travelling THEN
                 ('{pending,reserved,confirmed,confirmed,paid,paid,NULL}'::booking.enrollment_status[])[1 + random % 7]
               WHEN n <= travelling + dropped THEN
                 ('{cancelled,rejected,expired,refunded,withdrawn,no_show}'::booking.enrollment_status[])[1 + random % 6]
               ELSE 'confirmed' END,
             CASE WHEN n <= travelling + dropped THEN 1 + random / 7 % c.passenger_count END,
             CASE WHEN n > travelling + dropped THEN 1 + random % c.guide_count END,
             pg_temp.rare_canary('enrollments.seat_request', p.code, p.index, n),
             pg_temp.rare_canary('enrollments.internal_notes', p.code, p.index, n),
             pg_temp.private_amount(p.double_price)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN generate_series(1, travelling + dropped + staff) AS n
       CROSS JOIN LATERAL (SELECT pg_temp.random_of(p.key || n) AS random OFFSET 0) AS thrown;

    INSERT INTO booking.staff_assignments (company_code, program_code, position, staff_number, duty, role_label,
        internal_notes, fee)
      SELECT p.company_code, p.code, n,
             CASE n WHEN 1 THEN p.guide WHEN 2 THEN p.guide % c.guide_count + 1 ELSE c.guide_count + 1 END,
             duty::booking.staff_duty,
             CASE WHEN (pg_temp.dice(p.key, 'label', 10) + n) % 10 > 0 THEN c.duties[n] END,
             pg_temp.rare_canary('staff_assignments.internal_notes', p.code, p.index, n),
             pg_temp.private_amount(p.double_price)
        FROM sample_program AS p JOIN sample_company AS c ON c.code = p.company_code
       CROSS JOIN (VALUES (1, 'lead_guide'), (2, 'teacher'), (3, 'driver')) AS assignment (n, duty)
       WHERE p.situation <> 'no_marketing' AND (n <> 2 OR pg_temp.dice(p.key, 'teacher', 100) < 60);

    -- The flights out and back are mostly with the same airline.
    INSERT INTO booking.flights (company_code, program_code, position, airline_code,
        flight_number, origin, destination, booking_reference, group_fare)
      SELECT p.company_code, p.code, n,
             codes[1 + (pg_temp.dice(p.key, 'airline', 5)
                        + CASE WHEN n = 2 AND pg_temp.dice(p.key, 'back', 10) < 3 THEN 1 ELSE 0 END) % 5],
             pg_temp.rare_canary('flights.flight_number', p.code, p.index, n),
             pg_temp.rare_canary('flights.origin', p.code, p.index, n),
             pg_temp.rare_canary('flights.destination', p.code, p.index, n),
             pg_temp.rare_canary('flights.booking_reference', p.code, p.index, n),
             pg_temp.private_amount(p.double_price)
        FROM sample_program AS p
       CROSS JOIN (SELECT array_agg(code ORDER BY code) AS codes FROM booking.airlines) AS airlines
       CROSS JOIN generate_series(1, 2) AS n
       WHERE p.length >= 4;
  END $$;
