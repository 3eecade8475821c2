import { sqlTypes } from "./column-type.ts";
import { type ContractView, contractViews, type sourceViews, type ViewName } from "./contract.ts";

type ColumnNames<View extends ViewName> = (typeof sourceViews)[View]["columns"][number][0];

interface ViewNotes<View extends ViewName> {
  readonly what: string;
  readonly columns: Readonly<Record<ColumnNames<View>, string>>;
}

/** Words for the ids, which every view has. */
const idNotes = {
  tenant_id: "whose row it is: 1 to 64 of A-Z a-z 0-9 . _ ~ -",
  program_id: "which program's: 1 to 128 of A-Z a-z 0-9 . _ ~ -",
} as const;

/** What belongs into each view and column, for the author of the views. A column without words does not compile. */
const viewNotes: { readonly [View in ViewName]: ViewNotes<View> } = {
  tenants: {
    what: "Required. A row for each company whose programs partners read.",
    columns: { name: "for your own people; partners do not see it" },
  },
  programs: {
    what: "Required. A row for each tour on given dates, in whatever state; only active ones are published.",
    columns: {
      name: "an active program needs one",
      lifecycle_state:
        "active, draft, cancelled, completed, archived or ended: translate your states (CASE ... END)",
      departure_date: "a date, not an instant: (starts_at AT TIME ZONE 'Europe/Vienna')::date",
      return_date: "the last day; the duration follows from both",
      capacity_total: "places in all, those that are taken included",
      currency: "three letters (ISO 4217), for all amounts of the program",
      category_type: "what kind of tour it is, in your words",
      category_subtype: "a finer kind",
      guide_name: "shown as the guide where the view staff has no lead guide",
      legacy_price: "a single price, used where room_prices has none; in units, not in cents",
      description: "what partners see as the program's text",
      departure_point: "where the tour begins",
      marketing_tags: "labels: ARRAY['family', 'unesco']",
      accommodation_description: "a text about where people stay",
      cover_url: "one complete https address",
      gallery_urls: "complete https addresses, in order",
      included: "what the price includes, a text for each thing",
      excluded: "what it does not include",
      visits: "places that are visited",
    },
  },
  room_prices: {
    what: "A row for each price per person by how many share a room.",
    columns: {
      occupancy: "1 for a single room, 2 for a double",
      amount: "above 0, in units of the currency (cents: / 100.0; floating point: ::numeric)",
    },
  },
  child_prices: {
    what: "A row for each price of an age band.",
    columns: { min_age: "0 or more", max_age: "the band's last age", amount: "0 is for free" },
  },
  hotel_stays: {
    what: "A row for each stay in a hotel.",
    columns: {
      position: "orders the stays",
      name: "the hotel",
      location: "where it is",
      check_in: "a date",
      check_out: "a date",
      star_level: "1 to 5",
    },
  },
  enrollments: {
    what: "A row for each person who is booked: how many places are taken is counted from them. No names.",
    columns: {
      status: "cancelled ones take no place (TERMINAL_ENROLLMENT_STATUSES)",
      role: "passenger or staff; staff take no place",
    },
  },
  staff: {
    what: "A row for each person whom partners may know of.",
    columns: {
      position: "orders the people; of several lead guides the first counts",
      role: "lead_guide or teacher; leave others out",
      name: "as partners see it",
      gender: "male, female or NULL",
      role_label: "a teacher's subject or title",
    },
  },
  flights: {
    what: "A row for each flight: partners see the airline.",
    columns: {
      position: "orders the flights",
      airline_code: "such as LH",
      airline_logo_url: "a complete https address",
    },
  },
  itinerary: {
    what: "A row for each day or part of the tour.",
    columns: {
      position: "orders the entries",
      title: "an entry without one is dropped",
      description: "its text",
    },
  },
  faq: {
    what: "A row for each question with its answer.",
    columns: {
      position: "orders the questions",
      question: "without one the entry is dropped",
      answer: "without one the entry is dropped",
    },
  },
};

/**
 * A script with all views of the contract, to be filled in (P101). PostgreSQL takes it as it is: every column has its type, and a
 * view gives no rows until it reads a table.
 */
export function viewsSkeleton(): string {
  return [
    head,
    "BEGIN;\n\nCREATE SCHEMA IF NOT EXISTS partner_source;\n",
    ...contractViews.map(view),
    foot,
  ].join("\n");
}

const head = `-- The views through which partner-programs reads a booking database.
--
-- In each view, replace NULL::type by your expressions, put your table into FROM, and remove "WHERE false". The ids must
-- not be NULL. Leave a view as it is when you have no data for it: an empty list is published. Keep all columns and their types;
-- columns that you add are not read.
--
-- Run it as the owner of your tables:  psql --set ON_ERROR_STOP=1 --file views.sql "$DATABASE_URL"
-- While you are writing, start anew each time: put  DROP SCHEMA partner_source CASCADE;  after BEGIN. Later, change a view
-- with CREATE OR REPLACE VIEW, which keeps the rights on it.
-- Then:  partner-programs source check  and  partner-programs source preview
`;

const foot = `-- For the role of the generator, which needs nothing else:
-- GRANT USAGE ON SCHEMA partner_source TO generator;
-- GRANT SELECT ON ALL TABLES IN SCHEMA partner_source TO generator;

COMMIT;
`;

function view({ name, columns }: ContractView): string {
  const { what, columns: notes } = viewNotes[name as ViewName];
  const words: Readonly<Record<string, string>> = { ...idNotes, ...notes };
  const expressions = Object.entries(columns).map(([column, kind]) => `NULL::${sqlTypes[kind]} AS ${column}`);
  const width = Math.max(...expressions.map(({ length }) => length)) + 1;
  const lines = Object.keys(columns).map((column, at) => {
    const isLast = at === expressions.length - 1;
    return `    ${`${expressions[at]}${isLast ? "" : ","}`.padEnd(width)}  -- ${words[column]}`;
  });
  return [
    `-- ${what}`,
    `CREATE VIEW partner_source.${name} AS`,
    "  SELECT",
    ...lines,
    "  -- FROM your_table",
    "  WHERE false;\n",
  ].join("\n");
}
