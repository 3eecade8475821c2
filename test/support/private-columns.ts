/** The columns of the reference booking schema that hold private text. No view shows them. */
export const privateTextColumns: Readonly<Record<string, readonly string[]>> = {
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
};

/** The columns that hold private amounts of money. */
export const privateAmountColumns: Readonly<Record<string, readonly string[]>> = {
  programs: ["estimated_cost"],
  hotels: ["contract_rate"],
  room_prices: ["supplier_cost"],
  staff: ["daily_rate"],
  enrollments: ["amount_paid"],
  staff_assignments: ["fee"],
  flights: ["group_fare"],
};

/**
 * Begins what the sample data puts into every private text, so that a search for it in everything published
 * proves that none got through.
 */
export const canaryMark = "CANARY-";
/** What private amounts end in, and public ones never do. */
export const privateCents = ".37";
