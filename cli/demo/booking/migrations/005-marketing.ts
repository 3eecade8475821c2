export const marketing = {
  name: "005_marketing",
  up: `
    CREATE TYPE booking.media_kind AS ENUM ('cover', 'gallery', 'print');

    CREATE TABLE booking.marketing_copy (
      company_code              text COLLATE "C" NOT NULL,
      program_code              text COLLATE "C" NOT NULL,
      description               text,
      accommodation_description text,
      tags                      text[],
      included                  text[],
      excluded                  text[],
      visits                    text[],
      campaign_notes            text,
      PRIMARY KEY (company_code, program_code),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
    );

    CREATE TABLE booking.media (
      company_code         text COLLATE "C" NOT NULL,
      program_code         text COLLATE "C" NOT NULL,
      position             integer NOT NULL,
      kind                 booking.media_kind NOT NULL DEFAULT 'gallery',
      url                  text NOT NULL,
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
      editor_notes text,
      PRIMARY KEY (company_code, program_code, position),
      FOREIGN KEY (company_code, program_code) REFERENCES booking.programs ON DELETE CASCADE
    );`,
};
