/**
 * The columns of the reference schema that hold private text, which no view shows. Sample data has a canary in every one of
 * them. So a search for `canaryMark` in everything published proves that no private text got through.
 */
export const privateTextColumns = {
  companies: ["legal_name", "tax_number", "bank_account", "contract_notes"],
  programs: ["daily_plan", "internal_notes", "responsible_agent"],
  program_days: ["daily_plan", "driver_instructions"],
  hotels: ["phone", "email", "address", "contact_person", "internal_notes"],
  hotel_stays: ["room_block_notes"],
  room_prices: ["supplier_notes"],
  child_price_bands: ["internal_notes"],
  passengers: [
    "full_name",
    "nationality",
    "passport_number",
    "phone",
    "email",
    "home_address",
    "emergency_contact",
    "medical_notes",
  ],
  staff: ["legal_name", "national_id", "phone", "email", "home_address", "bank_account", "internal_notes"],
  enrollments: ["seat_request", "internal_notes"],
  staff_assignments: ["internal_notes"],
  airlines: ["account_notes"],
  flights: ["flight_number", "origin", "destination", "booking_reference"],
  marketing_copy: ["campaign_notes"],
  media: ["photographer_contact"],
  faq: ["editor_notes"],
} as const;

export type PrivateTextColumn = {
  [Table in keyof typeof privateTextColumns]: `${Table}.${(typeof privateTextColumns)[Table][number]}`;
}[keyof typeof privateTextColumns];

/** Begins every canary. */
export const canaryMark = "CANARY-";
export const privateCents = 0.37;

/** A canary for a private column. `row` makes it unlike those of other rows. */
export function canary(column: PrivateTextColumn, row: string): string {
  return `${canaryMark}${column}-${row}`;
}

/** A canary for each of these private columns of a table. */
export function canaries<Table extends keyof typeof privateTextColumns>(
  table: Table,
  row: string,
  ...columns: readonly (typeof privateTextColumns)[Table][number][]
): readonly string[] {
  return columns.map((column) => `${canaryMark}${table}.${column}-${row}`);
}

/** A canary in every fifth row, for a column that is mostly empty in practice. `at` is the number of the row. */
export function occasionalCanary(column: PrivateTextColumn, row: string, at: number): string | null {
  return at % 5 === 0 ? canary(column, row) : null;
}

/** A private amount of money near `amount`. */
export function privateAmount(amount: number): string {
  return (Math.floor(amount) + privateCents).toFixed(2);
}
