export const flights = {
  name: "004_flights",
  up: `
    -- Shared by all companies.
    CREATE TABLE booking.airlines (
      code          text COLLATE "C" PRIMARY KEY,
      name          text NOT NULL,
      logo_url      text,
      account_notes text
    );

    CREATE TABLE booking.flights (
      company_code      text COLLATE "C" NOT NULL,
      program_code      text COLLATE "C" NOT NULL,
      position          integer NOT NULL,
      airline_code      text COLLATE "C" NOT NULL REFERENCES booking.airlines,
      flight_number     text,
      origin            text,
      destination       text,
      departs_at        timestamptz,
      booking_reference text,
      group_fare        numeric(12, 2),
      PRIMARY KEY (company_code, program_code, position),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
    );
    CREATE INDEX flights_airline ON booking.flights (airline_code);`,
};
