/** The tables behind the views, with the column that holds the company's code (the shared table has none). */
const watchedTables = {
  companies: "code",
  programs: "company_code",
  program_days: "company_code",
  hotels: "company_code",
  hotel_stays: "company_code",
  room_types: "company_code",
  room_prices: "company_code",
  child_price_bands: "company_code",
  staff: "company_code",
  staff_assignments: "company_code",
  enrollments: "company_code",
  flights: "company_code",
  marketing_copy: "company_code",
  media: "company_code",
  faq: "company_code",
  airlines: undefined,
} as const;

/**
 * Sends `NOTIFY partner_source_changed, '<tenant id>'` after every statement that may change what the views show. PostgreSQL
 * drops equal notifications, so a transaction sends one per tenant. The triggers fire per statement, so that bulk changes stay
 * fast.
 */
export const changeNotifications = {
  name: "007_change_notifications",
  up: `
    CREATE FUNCTION booking.notify_changed_companies() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changed_rows text := CASE TG_OP
        WHEN 'INSERT' THEN 'SELECT * FROM new_rows'
        WHEN 'DELETE' THEN 'SELECT * FROM old_rows'
        ELSE 'SELECT * FROM new_rows UNION ALL SELECT * FROM old_rows'
      END;
    BEGIN
      EXECUTE format(
        'SELECT pg_notify(''partner_source_changed'', company) FROM (SELECT DISTINCT %I AS company FROM (%s) AS changed) AS changed',
        TG_ARGV[0], changed_rows);
      RETURN NULL;
    END $$;

    CREATE FUNCTION booking.notify_all_companies() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('partner_source_changed', code) FROM booking.companies;
      RETURN NULL;
    END $$;

    ${Object.entries(watchedTables)
      .map(([table, column]) => (column === undefined ? sharedTable(table) : companyTable(table, column)))
      .join("\n")}

    ${Object.keys(watchedTables).map(onTruncate).join("\n")}`,
};

function companyTable(table: string, column: string): string {
  const call = `FOR EACH STATEMENT EXECUTE FUNCTION booking.notify_changed_companies('${column}')`;
  return `
    CREATE TRIGGER notify_insert AFTER INSERT ON booking.${table} REFERENCING NEW TABLE AS new_rows ${call};
    CREATE TRIGGER notify_update AFTER UPDATE ON booking.${table}
      REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows ${call};
    CREATE TRIGGER notify_delete AFTER DELETE ON booking.${table} REFERENCING OLD TABLE AS old_rows ${call};`;
}

function sharedTable(table: string): string {
  return `
    CREATE TRIGGER notify_change AFTER INSERT OR UPDATE OR DELETE ON booking.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION booking.notify_all_companies();`;
}

/** Notifies before the TRUNCATE, since the table of companies may be emptied, too. */
function onTruncate(table: string): string {
  return `
    CREATE TRIGGER notify_truncate BEFORE TRUNCATE ON booking.${table}
      FOR EACH STATEMENT EXECUTE FUNCTION booking.notify_all_companies();`;
}
