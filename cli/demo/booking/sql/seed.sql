-- Replaces all rows of the reference schema by sample data, and returns the number of rows of each
-- table. The same arguments give the same rows on every machine. Listeners are notified, of no
-- company in particular.
CREATE FUNCTION pg_temp.seed(tenants integer, programs integer, seed text, today date)
RETURNS TABLE (table_name text, row_count bigint) LANGUAGE plpgsql AS $$
  DECLARE
    -- In the order of their foreign keys.
    tables text[] := '{airlines,companies,hotels,room_types,passengers,staff,programs,room_prices,child_price_bands,
      hotel_stays,enrollments,staff_assignments,flights,program_days,marketing_copy,media,faq}';
    all_tables text := 'booking.' || array_to_string(tables, ', booking.');
    foreign_key record;
  BEGIN
    SET LOCAL lock_timeout = '60s';
    SET LOCAL jit = off;
    -- One notification at the end, not one per row.
    FOREACH table_name IN ARRAY tables LOOP
      EXECUTE format('ALTER TABLE booking.%I DISABLE TRIGGER USER', table_name);
    END LOOP;
    NOTIFY partner_source_changed;
    -- A foreign key is checked in a third of the time when it is made anew over all rows instead of
    -- asked for each.
    CREATE TEMPORARY TABLE sample_foreign_key AS
      SELECT conrelid::regclass AS table, conname AS name, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE contype = 'f' AND connamespace = 'booking'::regnamespace;
    FOR foreign_key IN TABLE sample_foreign_key LOOP
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', foreign_key.table, foreign_key.name);
    END LOOP;
    EXECUTE format('TRUNCATE booking.sample_data, %s RESTART IDENTITY', all_tables);

    PERFORM pg_temp.make_facts(tenants, programs, seed, today);
    PERFORM pg_temp.make_companies();
    PERFORM pg_temp.make_programs();
    PERFORM pg_temp.make_texts();
    INSERT INTO booking.sample_data (seed, company_codes)
      SELECT seed, array_agg(code ORDER BY code) FROM booking.companies;

    EXECUTE 'ANALYZE ' || all_tables;
    FOR foreign_key IN TABLE sample_foreign_key LOOP
      EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s',
        foreign_key.table, foreign_key.name, foreign_key.definition);
    END LOOP;
    FOREACH table_name IN ARRAY tables LOOP
      EXECUTE format('ALTER TABLE booking.%I ENABLE TRIGGER USER', table_name);
      EXECUTE format('SELECT count(*) FROM booking.%I', table_name) INTO row_count;
      RETURN NEXT;
    END LOOP;
  END $$;
