-- Sends `NOTIFY partner_source_changed, '<tenant id>'` for each row whose change the views may
-- show. PostgreSQL drops equal notifications, so a transaction sends one per tenant.

CREATE FUNCTION booking.notify_changed_company() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('partner_source_changed', changed ->> TG_ARGV[0])
       FROM (VALUES (to_jsonb(OLD)), (to_jsonb(NEW))) AS either (changed) WHERE changed IS NOT NULL;
    RETURN NULL;
  END $$;

CREATE FUNCTION booking.notify_all_companies() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('partner_source_changed', code) FROM booking.companies;
    RETURN NULL;
  END $$;

DO $$
  DECLARE
    -- The tables of a company that are behind the views.
    watched text[] := '{programs,program_days,hotels,hotel_stays,room_types,room_prices,child_price_bands,
      staff,staff_assignments,enrollments,flights,marketing_copy,media,faq}';
    name text;
  BEGIN
    FOREACH name IN ARRAY '{companies}' || watched LOOP
      EXECUTE format('CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON booking.%I
        FOR EACH ROW EXECUTE FUNCTION booking.notify_changed_company(%L)',
        name, CASE name WHEN 'companies' THEN 'code' ELSE 'company_code' END);
    END LOOP;
    CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON booking.airlines
      FOR EACH STATEMENT EXECUTE FUNCTION booking.notify_all_companies();
    -- A TRUNCATE is notified of before it happens, since it may empty the table of companies, too.
    FOREACH name IN ARRAY '{airlines,companies}' || watched LOOP
      EXECUTE format('CREATE TRIGGER notify_truncate BEFORE TRUNCATE ON booking.%I
        FOR EACH STATEMENT EXECUTE FUNCTION booking.notify_all_companies()', name);
    END LOOP;
  END $$;
