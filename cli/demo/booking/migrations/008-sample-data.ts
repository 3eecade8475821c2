/** Records what `source seed` created, so that it never wipes anything else. */
export const sampleData = {
  name: "008_sample_data",
  up: `
    CREATE TABLE booking.sample_data (
      is_only_row   boolean PRIMARY KEY DEFAULT true CHECK (is_only_row),
      seed          text NOT NULL,
      company_codes text[] NOT NULL,
      created_at    timestamptz NOT NULL DEFAULT now()
    );`,
};
