-- The tables of the reference booking schema. Their keys begin with the company's code, so no row
-- can name another company's program. Codes are compared by byte (`COLLATE "C"`), which is the
-- order in which the generator reads. No view shows a private column, and the sample data puts a
-- canary into each private text.

CREATE TYPE booking.program_state AS ENUM ('draft', 'active', 'cancelled', 'completed', 'archived');
CREATE TYPE booking.gender AS ENUM ('female', 'male', 'other', 'undisclosed');
CREATE TYPE booking.enrollment_role AS ENUM ('passenger', 'staff');
CREATE TYPE booking.enrollment_status AS ENUM ('pending', 'reserved', 'confirmed', 'paid', 'checked_in',
  'cancelled', 'rejected', 'expired', 'refunded', 'withdrawn', 'no_show');
CREATE TYPE booking.staff_duty AS ENUM ('lead_guide', 'teacher', 'driver', 'coordinator');
CREATE TYPE booking.media_kind AS ENUM ('cover', 'gallery', 'print');

CREATE TABLE booking.companies (
  code             text COLLATE "C" PRIMARY KEY CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$'),
  id               bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  name             text NOT NULL,
  -- An unknown zone makes timezone() fail.
  time_zone        text NOT NULL CHECK (timezone(time_zone, timestamptz 'epoch') IS NOT NULL),
  default_currency text NOT NULL CHECK (default_currency ~ '^[A-Z]{3}$'),
  created_at       timestamptz NOT NULL DEFAULT now(),
  -- Private:
  legal_name text, tax_number text, bank_account text, contract_notes text
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
  target_margin      numeric(5, 2),
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  -- Private:
  daily_plan text, internal_notes text, responsible_agent text, estimated_cost numeric(14, 2),
  PRIMARY KEY (company_code, code)
);

CREATE TABLE booking.program_days (
  company_code       text COLLATE "C" NOT NULL,
  program_code       text COLLATE "C" NOT NULL,
  day                integer NOT NULL CHECK (day >= 1),
  title              text NOT NULL,
  public_description text,
  -- Private:
  daily_plan text, driver_instructions text,
  PRIMARY KEY (company_code, program_code, day),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);

CREATE TABLE booking.hotels (
  company_code text COLLATE "C" NOT NULL REFERENCES booking.companies,
  code         text COLLATE "C" NOT NULL,
  name         text NOT NULL,
  city         text,
  country      text,
  star_rating  smallint CHECK (star_rating BETWEEN 0 AND 7),
  -- Private:
  phone text, email text, address text, contact_person text, internal_notes text,
  contract_rate numeric(14, 2),
  PRIMARY KEY (company_code, code)
);

CREATE TABLE booking.hotel_stays (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  hotel_code   text COLLATE "C" NOT NULL,
  check_in     date,
  check_out    date,
  -- Private:
  room_block_notes text,
  PRIMARY KEY (company_code, program_code, position),
  FOREIGN KEY (company_code, hotel_code) REFERENCES booking.hotels,
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);
CREATE INDEX hotel_stays_hotel ON booking.hotel_stays (company_code, hotel_code);

CREATE TABLE booking.room_types (
  company_code text COLLATE "C" NOT NULL REFERENCES booking.companies,
  code         text COLLATE "C" NOT NULL,
  label        text NOT NULL,
  occupancy    integer NOT NULL CHECK (occupancy >= 1),
  PRIMARY KEY (company_code, code)
);

CREATE TABLE booking.room_prices (
  company_code   text COLLATE "C" NOT NULL,
  program_code   text COLLATE "C" NOT NULL,
  room_type_code text COLLATE "C" NOT NULL,
  -- 0: on request.
  amount         numeric(12, 2) NOT NULL CHECK (amount >= 0),
  -- Private:
  supplier_notes text, supplier_cost numeric(14, 2),
  PRIMARY KEY (company_code, program_code, room_type_code),
  FOREIGN KEY (company_code, room_type_code) REFERENCES booking.room_types,
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);
CREATE INDEX room_prices_room_type ON booking.room_prices (company_code, room_type_code);

CREATE TABLE booking.child_price_bands (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  min_age      integer NOT NULL CHECK (min_age >= 0),
  max_age      integer NOT NULL,
  amount       numeric(12, 2) NOT NULL CHECK (amount >= 0),
  -- Private:
  internal_notes text,
  PRIMARY KEY (company_code, program_code, min_age),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);

CREATE TABLE booking.passengers (
  company_code    text COLLATE "C" NOT NULL REFERENCES booking.companies,
  number          integer NOT NULL,
  birth_date      date,
  passport_expiry date,
  -- Private:
  full_name text, nationality text, passport_number text, phone text, email text,
  home_address text, emergency_contact text, medical_notes text,
  PRIMARY KEY (company_code, number)
);

CREATE TABLE booking.staff (
  company_code text COLLATE "C" NOT NULL REFERENCES booking.companies,
  number       integer NOT NULL,
  display_name text NOT NULL,
  gender       booking.gender,
  birth_date   date,
  -- Private:
  legal_name text, national_id text, phone text, email text, home_address text, bank_account text,
  internal_notes text, daily_rate numeric(14, 2),
  PRIMARY KEY (company_code, number)
);

CREATE TABLE booking.enrollments (
  company_code     text COLLATE "C" NOT NULL,
  program_code     text COLLATE "C" NOT NULL,
  number           integer NOT NULL,
  role             booking.enrollment_role NOT NULL DEFAULT 'passenger',
  status           booking.enrollment_status,
  passenger_number integer,
  staff_number     integer,
  booked_at        timestamptz,
  -- Private:
  seat_request text, internal_notes text, amount_paid numeric(14, 2),
  -- The generator counts by role and status: it never visits the table itself.
  PRIMARY KEY (company_code, program_code, number) INCLUDE (role, status),
  FOREIGN KEY (company_code, passenger_number) REFERENCES booking.passengers,
  FOREIGN KEY (company_code, staff_number) REFERENCES booking.staff,
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);
CREATE INDEX enrollments_passenger ON booking.enrollments (company_code, passenger_number);
CREATE INDEX enrollments_staff ON booking.enrollments (company_code, staff_number)
  WHERE staff_number IS NOT NULL;

CREATE TABLE booking.staff_assignments (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  staff_number integer NOT NULL,
  duty         booking.staff_duty NOT NULL,
  role_label   text,
  -- Private:
  internal_notes text, fee numeric(14, 2),
  PRIMARY KEY (company_code, program_code, position),
  FOREIGN KEY (company_code, staff_number) REFERENCES booking.staff,
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);
CREATE INDEX staff_assignments_staff ON booking.staff_assignments (company_code, staff_number);

-- Shared by all companies.
CREATE TABLE booking.airlines (
  code     text COLLATE "C" PRIMARY KEY,
  name     text NOT NULL,
  logo_url text,
  -- Private:
  account_notes text
);

CREATE TABLE booking.flights (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  airline_code text COLLATE "C" NOT NULL REFERENCES booking.airlines,
  departs_at   timestamptz,
  -- Private:
  flight_number text, origin text, destination text, booking_reference text,
  group_fare numeric(14, 2),
  PRIMARY KEY (company_code, program_code, position),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);
CREATE INDEX flights_airline ON booking.flights (airline_code);

CREATE TABLE booking.marketing_copy (
  company_code              text COLLATE "C" NOT NULL,
  program_code              text COLLATE "C" NOT NULL,
  description               text,
  accommodation_description text,
  tags                      text[],
  included                  text[],
  excluded                  text[],
  visits                    text[],
  -- Private:
  campaign_notes text,
  PRIMARY KEY (company_code, program_code),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);

CREATE TABLE booking.media (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  kind         booking.media_kind NOT NULL DEFAULT 'gallery',
  url          text NOT NULL,
  -- Private:
  photographer_contact text,
  PRIMARY KEY (company_code, program_code, position),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);

CREATE TABLE booking.faq (
  company_code text COLLATE "C" NOT NULL,
  program_code text COLLATE "C" NOT NULL,
  position     integer NOT NULL,
  question     text NOT NULL,
  answer       text,
  -- Private:
  editor_notes text,
  PRIMARY KEY (company_code, program_code, position),
  FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
);

-- What `source seed` created, so that it never wipes anything else.
CREATE TABLE booking.sample_data (
  is_only_row   boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
  seed          text NOT NULL,
  company_codes text[] NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);
