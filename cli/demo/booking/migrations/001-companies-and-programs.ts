/**
 * The key of each table of a company begins with the company's code, and that of each table of a program goes on with the
 * program's code. So one company is one range of each index, and no row can name another company's program. Codes are compared by byte
 * (`COLLATE "C"`), which is the order in which the generator reads.
 */
export const companiesAndPrograms = {
  name: "001_companies_and_programs",
  up: `
    CREATE TYPE booking.program_state AS ENUM ('draft', 'active', 'cancelled', 'completed', 'archived');

    CREATE TABLE booking.companies (
      code              text COLLATE "C" PRIMARY KEY CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$'),
      id                bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      name              text NOT NULL,
      -- An unknown zone makes timezone() fail.
      time_zone         text NOT NULL CHECK (timezone(time_zone, timestamptz 'epoch') IS NOT NULL),
      default_currency  text NOT NULL CHECK (default_currency ~ '^[A-Z]{3}$'),
      legal_name        text,
      tax_number        text,
      bank_account      text,
      contract_notes    text,
      created_at        timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE booking.programs (
      company_code       text COLLATE "C" NOT NULL REFERENCES booking.companies,
      code               text COLLATE "C" NOT NULL CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$'),
      id                 bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      name               text NOT NULL,
      state              booking.program_state NOT NULL DEFAULT 'draft',
      category_type      text,
      category_subtype   text,
      departure_date     date,
      return_date        date,
      departure_point    text,
      capacity           integer,
      -- NULL: the company's default currency.
      currency           text,
      -- From before prices were kept per room type.
      single_price       numeric(12, 2),
      guide_display_name text,
      daily_plan         text,
      internal_notes     text,
      responsible_agent  text,
      estimated_cost     numeric(14, 2),
      target_margin      numeric(5, 2),
      created_at         timestamptz NOT NULL DEFAULT now(),
      updated_at         timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (company_code, code)
    );

    CREATE TABLE booking.program_days (
      company_code        text COLLATE "C" NOT NULL,
      program_code        text COLLATE "C" NOT NULL,
      day                 integer NOT NULL CHECK (day >= 1),
      title               text NOT NULL,
      public_description  text,
      daily_plan          text,
      driver_instructions text,
      PRIMARY KEY (company_code, program_code, day),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
    );`,
};
