export const lodgingAndPrices = {
  name: "002_lodging_and_prices",
  up: `
    CREATE TABLE booking.hotels (
      company_code    text COLLATE "C" NOT NULL REFERENCES booking.companies,
      code            text COLLATE "C" NOT NULL,
      name            text NOT NULL,
      city            text,
      country         text,
      star_rating     smallint CHECK (star_rating BETWEEN 0 AND 7),
      phone           text,
      email           text,
      address         text,
      contact_person  text,
      internal_notes  text,
      contract_rate   numeric(12, 2),
      PRIMARY KEY (company_code, code)
    );

    CREATE TABLE booking.hotel_stays (
      company_code     text COLLATE "C" NOT NULL,
      program_code     text COLLATE "C" NOT NULL,
      position         integer NOT NULL,
      hotel_code       text COLLATE "C" NOT NULL,
      check_in         date,
      check_out        date,
      room_block_notes text,
      PRIMARY KEY (company_code, program_code, position),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE,
      FOREIGN KEY (company_code, hotel_code) REFERENCES booking.hotels
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
      supplier_cost  numeric(12, 2),
      supplier_notes text,
      PRIMARY KEY (company_code, program_code, room_type_code),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE,
      FOREIGN KEY (company_code, room_type_code) REFERENCES booking.room_types
    );
    CREATE INDEX room_prices_room_type ON booking.room_prices (company_code, room_type_code);

    CREATE TABLE booking.child_price_bands (
      company_code   text COLLATE "C" NOT NULL,
      program_code   text COLLATE "C" NOT NULL,
      min_age        integer NOT NULL CHECK (min_age >= 0),
      max_age        integer NOT NULL,
      amount         numeric(12, 2) NOT NULL CHECK (amount >= 0),
      internal_notes text,
      PRIMARY KEY (company_code, program_code, min_age),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
    );`,
};
