-- Makes the airlines, and the companies with what belongs to all their programs.

-- What a private column holds, so that a search for CANARY- in everything published proves that no
-- private text got through. The column and the row, which the canary names, show where a leak comes
-- from.
CREATE FUNCTION pg_temp.canary(private_column text, of_row text) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN 'CANARY-' || private_column || '-' || of_row;

-- The private amounts that are near to this one. Public amounts never end in .37.
CREATE FUNCTION pg_temp.private_amount(near numeric) RETURNS numeric LANGUAGE sql IMMUTABLE
  RETURN floor(near) + 0.37;

CREATE FUNCTION pg_temp.make_companies() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO booking.airlines (code, name, logo_url, account_notes)
      SELECT code, name, logo, pg_temp.canary('airlines.account_notes', code) FROM sample_airline;

    INSERT INTO booking.companies (code, name, time_zone, default_currency,
        legal_name, tax_number, bank_account, contract_notes)
      SELECT code, name, zone, currency,
             pg_temp.canary('companies.legal_name', code), pg_temp.canary('companies.tax_number', code),
             pg_temp.canary('companies.bank_account', code), pg_temp.canary('companies.contract_notes', code)
        FROM sample_company ORDER BY code;

    INSERT INTO booking.hotels (company_code, code, name, city, country, star_rating,
        phone, email, address, contact_person, internal_notes, contract_rate)
      SELECT c.code, 'H' || n, c.hotels[n][1], c.hotels[n][2], c.hotels[n][3], c.hotels[n][4]::smallint,
             pg_temp.canary('hotels.phone', hotel), pg_temp.canary('hotels.email', hotel),
             pg_temp.canary('hotels.address', hotel), pg_temp.canary('hotels.contact_person', hotel),
             pg_temp.canary('hotels.internal_notes', hotel), pg_temp.private_amount(100)
        FROM sample_company AS c
       CROSS JOIN generate_series(1, cardinality(c.hotels) / 4) AS n
       CROSS JOIN LATERAL (SELECT c.code || '.' || n AS hotel) AS named;

    INSERT INTO booking.room_types (company_code, code, label, occupancy)
      SELECT c.code, type, c.rooms[n], n
        FROM sample_company AS c
       CROSS JOIN unnest('{single,double,triple,quad}'::text[]) WITH ORDINALITY AS room (type, n);

    INSERT INTO booking.passengers (company_code, number, birth_date, passport_expiry, full_name, nationality,
        passport_number, phone, email, home_address, emergency_contact, medical_notes)
      SELECT c.code, n, date '1945-01-01' + random % 27000, date '2027-01-01' + random % 3600,
             c.passengers[n % cardinality(c.passengers) + 1] || ' '
               || pg_temp.canary('passengers.full_name', c.code || n),
             pg_temp.canary('passengers.nationality', passenger),
             pg_temp.canary('passengers.passport_number', passenger),
             pg_temp.canary('passengers.phone', passenger), pg_temp.canary('passengers.email', passenger),
             pg_temp.canary('passengers.home_address', passenger),
             pg_temp.canary('passengers.emergency_contact', passenger),
             pg_temp.canary('passengers.medical_notes', passenger)
        FROM sample_company AS c
       CROSS JOIN generate_series(1, c.passenger_count) AS n
       CROSS JOIN LATERAL (SELECT c.code || '.' || n AS passenger, pg_temp.random_of(c.code || '/' || n) AS random
                            OFFSET 0) AS thrown;

    -- The driver comes last. That name is private, although the same column holds the public names
    -- of guides.
    INSERT INTO booking.staff (company_code, number, display_name, gender, legal_name, national_id, phone, email,
        home_address, bank_account, internal_notes, daily_rate)
      SELECT c.code, n, coalesce(c.guides[n][1], 'CANARY-driver-' || c.code),
             CASE WHEN n > c.guide_count THEN 'male' ELSE c.guides[n][2] END::booking.gender,
             pg_temp.canary('staff.legal_name', person), pg_temp.canary('staff.national_id', person),
             pg_temp.canary('staff.phone', person), pg_temp.canary('staff.email', person),
             pg_temp.canary('staff.home_address', person), pg_temp.canary('staff.bank_account', person),
             pg_temp.canary('staff.internal_notes', person), pg_temp.private_amount(100)
        FROM sample_company AS c
       CROSS JOIN generate_series(1, c.guide_count + 1) AS n
       CROSS JOIN LATERAL (SELECT c.code || '.' || n AS person) AS named;
  END $$;
