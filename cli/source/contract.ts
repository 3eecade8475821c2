/** What a column must hold; `column-type.ts` says which PostgreSQL types do. */
export type ColumnKind = "text" | "int" | "numeric" | "date" | "text[]";

/** A view of the schema `partner_source`. */
export interface ContractView {
  readonly name: string;
  /** An optional view may be an empty stand-in, for a company that has no such data. */
  readonly isRequired: boolean;
  /** In the contract's order. */
  readonly columns: Readonly<Record<string, ColumnKind>>;
}

const programKey = { tenant_id: "text", program_id: "text" } as const;

/** The ten views: all that the generator reads of a booking database. */
export const contractViews: readonly ContractView[] = [
  { name: "tenants", isRequired: true, columns: { tenant_id: "text", name: "text" } },
  {
    name: "programs",
    isRequired: true,
    columns: {
      ...programKey,
      name: "text",
      lifecycle_state: "text",
      departure_date: "date",
      return_date: "date",
      capacity_total: "int",
      currency: "text",
      category_type: "text",
      category_subtype: "text",
      guide_name: "text",
      legacy_price: "numeric",
      description: "text",
      departure_point: "text",
      marketing_tags: "text[]",
      accommodation_description: "text",
      cover_url: "text",
      gallery_urls: "text[]",
      included: "text[]",
      excluded: "text[]",
      visits: "text[]",
    },
  },
  optional("room_prices", { occupancy: "int", amount: "numeric" }),
  optional("child_prices", { min_age: "int", max_age: "int", amount: "numeric" }),
  optional("hotel_stays", {
    position: "int",
    name: "text",
    location: "text",
    check_in: "date",
    check_out: "date",
    star_level: "int",
  }),
  optional("enrollments", { status: "text", role: "text" }),
  optional("staff", { position: "int", role: "text", name: "text", gender: "text", role_label: "text" }),
  optional("flights", { position: "int", airline_code: "text", airline_logo_url: "text" }),
  optional("itinerary", { position: "int", title: "text", description: "text" }),
  optional("faq", { position: "int", question: "text", answer: "text" }),
];

/** The views whose rows belong to programs. */
export const childViews: readonly ContractView[] = contractViews.filter(({ isRequired }) => !isRequired);

function optional(name: string, columns: Readonly<Record<string, ColumnKind>>): ContractView {
  return { name, isRequired: false, columns: { ...programKey, ...columns } };
}
