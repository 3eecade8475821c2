/**
 * The columns of the reference schema that hold private amounts of money. In sample data these end in `privateCents`, and public
 * amounts never do.
 */
export const privateAmountColumns = {
  programs: ["estimated_cost"],
  hotels: ["contract_rate"],
  room_prices: ["supplier_cost"],
  staff: ["daily_rate"],
  enrollments: ["amount_paid"],
  staff_assignments: ["fee"],
  flights: ["group_fare"],
} as const;
