export const people = {
  name: "003_people",
  up: `
    CREATE TYPE booking.gender AS ENUM ('female', 'male', 'other', 'undisclosed');
    CREATE TYPE booking.enrollment_role AS ENUM ('passenger', 'staff');
    CREATE TYPE booking.enrollment_status AS ENUM ('pending', 'reserved', 'confirmed', 'paid', 'checked_in',
      'cancelled', 'rejected', 'expired', 'refunded', 'withdrawn', 'no_show');
    CREATE TYPE booking.staff_duty AS ENUM ('lead_guide', 'teacher', 'driver', 'coordinator');

    CREATE TABLE booking.passengers (
      company_code      text COLLATE "C" NOT NULL REFERENCES booking.companies,
      number            integer NOT NULL,
      full_name         text NOT NULL,
      birth_date        date,
      nationality       text,
      passport_number   text,
      passport_expiry   date,
      phone             text,
      email             text,
      home_address      text,
      emergency_contact text,
      medical_notes     text,
      PRIMARY KEY (company_code, number)
    );

    CREATE TABLE booking.staff (
      company_code   text COLLATE "C" NOT NULL REFERENCES booking.companies,
      number         integer NOT NULL,
      display_name   text NOT NULL,
      gender         booking.gender,
      legal_name     text,
      national_id    text,
      birth_date     date,
      phone          text,
      email          text,
      home_address   text,
      bank_account   text,
      daily_rate     numeric(10, 2),
      internal_notes text,
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
      amount_paid      numeric(12, 2),
      seat_request     text,
      internal_notes   text,
      -- The generator counts by role and status: it never visits the table itself.
      PRIMARY KEY (company_code, program_code, number) INCLUDE (role, status),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE,
      FOREIGN KEY (company_code, passenger_number) REFERENCES booking.passengers,
      FOREIGN KEY (company_code, staff_number) REFERENCES booking.staff
    );
    CREATE INDEX enrollments_passenger ON booking.enrollments (company_code, passenger_number);
    CREATE INDEX enrollments_staff ON booking.enrollments (company_code, staff_number)
      WHERE staff_number IS NOT NULL;

    CREATE TABLE booking.staff_assignments (
      company_code   text COLLATE "C" NOT NULL,
      program_code   text COLLATE "C" NOT NULL,
      position       integer NOT NULL,
      staff_number   integer NOT NULL,
      duty           booking.staff_duty NOT NULL,
      role_label     text,
      fee            numeric(10, 2),
      internal_notes text,
      PRIMARY KEY (company_code, program_code, position),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE,
      FOREIGN KEY (company_code, staff_number) REFERENCES booking.staff
    );
    CREATE INDEX staff_assignments_staff ON booking.staff_assignments (company_code, staff_number);`,
};
