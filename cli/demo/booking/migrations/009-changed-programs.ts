/**
 * A change of up to 20 programs names each of them: `NOTIFY partner_source_changed, '<tenant id> <program id>'`. A change of
 * more, or of something that programs share (a hotel, a room type, the company itself), names the tenant alone.
 */
export const changedPrograms = {
  name: "009_changed_programs",
  up: `
    CREATE OR REPLACE FUNCTION booking.notify_changed_companies() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      changed_rows text := CASE TG_OP
        WHEN 'INSERT' THEN 'SELECT * FROM new_rows'
        WHEN 'DELETE' THEN 'SELECT * FROM old_rows'
        ELSE 'SELECT * FROM new_rows UNION ALL SELECT * FROM old_rows'
      END;
      program text := CASE
        WHEN TG_TABLE_NAME = 'programs' THEN 'code'
        WHEN TG_TABLE_NAME IN ('companies', 'hotels', 'room_types', 'staff') THEN 'NULL'
        ELSE 'program_code'
      END;
    BEGIN
      EXECUTE format(
        'WITH changed AS (SELECT DISTINCT %I AS company, %s::text AS program FROM (%s) AS changed),
              counted AS (SELECT company, program, count(*) OVER (PARTITION BY company) AS programs FROM changed),
              told AS (SELECT DISTINCT CASE WHEN programs <= 20 THEN concat_ws('' '', company, program) ELSE company END AS payload
                         FROM counted)
         SELECT pg_notify(''partner_source_changed'', payload) FROM told',
        TG_ARGV[0], program, changed_rows);
      RETURN NULL;
    END $$;`,
};
