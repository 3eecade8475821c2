import type { SampleTable } from "../copy-rows.ts";
import { canaries, canary, canaryMark, occasionalCanary, privateAmount } from "../private-columns.ts";
import type { SampleCompany } from "./sample-company.ts";
import { addDays } from "./sample-program.ts";
import { sampleRandom } from "./sample-random.ts";

export interface SampleAirline {
  readonly code: string;
  readonly name: string;
  readonly logoUrl: string | null;
}

/** All companies share these airlines. One has no logo, and the logo of one may not be published (it is not https). */
export const sampleAirlines: readonly SampleAirline[] = [
  airline("AE2", "Aegina Air"),
  airline("B7", "Bosphorus Wings"),
  airline("H9", "Hakuba Airways"),
  { code: "KQ1", name: "Kasbah Air", logoUrl: null },
  airline("LV", "Levantine"),
  airline("N4", "Nabataean Airlines"),
  airline("SX", "Seto Express"),
  airline("TH", "Thalassa Jet"),
  { code: "YM", name: "Yam Air", logoUrl: "http://cdn.example.com/airlines/ym.svg" },
  airline("ZJ", "Zajel Air"),
];

function airline(code: string, name: string): SampleAirline {
  return { code, name, logoUrl: `https://cdn.example.com/airlines/${code.toLowerCase()}.svg` };
}

export const airlinesTable: SampleTable<readonly SampleAirline[]> = {
  name: "airlines",
  columns: ["code", "name", "logo_url", "account_notes"],
  rowsOf: (airlines) =>
    airlines.map(({ code, name, logoUrl }) => [code, name, logoUrl, canary("airlines.account_notes", code)]),
};

/** The tables of a company itself, in the order of their foreign keys. */
export const companyTables: readonly SampleTable<SampleCompany>[] = [
  {
    name: "companies",
    columns: [
      ...["code", "name", "time_zone", "default_currency"],
      ...["legal_name", "tax_number", "bank_account", "contract_notes"],
    ],
    rowsOf: ({ code, name, profile }) => [
      [
        ...[code, name, profile.timeZone, profile.currency],
        ...canaries("companies", code, "legal_name", "tax_number", "bank_account", "contract_notes"),
      ],
    ],
  },
  {
    name: "hotels",
    columns: [
      ...["company_code", "code", "name", "city", "country", "star_rating"],
      ...["phone", "email", "address", "contact_person", "internal_notes", "contract_rate"],
    ],
    rowsOf: ({ code, profile }) =>
      profile.hotels.map(({ name, city, country, stars }, position) => [
        ...[code, hotelCode(position), name, city, country, stars],
        `+00 555 01${position} ${canary("hotels.phone", `${code}.${position}`)}`,
        ...canaries("hotels", `${code}.${position}`, "email", "address", "contact_person", "internal_notes"),
        privateAmount(profile.priceStep * 100),
      ]),
  },
  {
    name: "room_types",
    columns: ["company_code", "code", "label", "occupancy"],
    rowsOf: ({ code, profile }) =>
      Object.entries(profile.roomLabels).map(([type, label], at) => [code, type, label, at + 1]),
  },
  {
    name: "passengers",
    columns: [
      ...["company_code", "number", "full_name", "birth_date", "nationality", "passport_number"],
      ...["passport_expiry", "phone", "email", "home_address", "emergency_contact", "medical_notes"],
    ],
    rowsOf: (company) =>
      Array.from({ length: company.passengerCount }, (_, at) => passenger(company, at + 1)),
  },
  {
    name: "staff",
    columns: [
      ...["company_code", "number", "display_name", "gender", "legal_name", "national_id", "phone", "email"],
      ...["home_address", "bank_account", "daily_rate", "internal_notes"],
    ],
    rowsOf: ({ code, profile }) => [
      ...profile.guides.map(({ name, gender }, at) => staffMember(code, at + 1, name, gender)),
      // The driver's name is private, although the same column holds the public names of guides.
      staffMember(code, driverNumber(profile.guides.length), `${canaryMark}driver-${code}`, "male"),
    ],
  },
];

export function hotelCode(position: number): string {
  return `H${String(position + 1).padStart(2, "0")}`;
}

/** The driver comes after the guides. */
export function driverNumber(guides: number): number {
  return guides + 1;
}

function passenger({ code, profile }: SampleCompany, number: number): (string | number | null)[] {
  const random = sampleRandom(`${code}/passenger/${number}`);
  const names = [random.pick(profile.givenNames), random.pick(profile.familyNames)];
  const fullName = (profile.isFamilyNameFirst ? names.reverse() : names).join(" ");
  const row = `${code}.${number}`;
  return [
    ...[code, number, `${fullName} ${canary("passengers.full_name", row)}`],
    addDays("1945-01-01", random.integer(0, 27_000)),
    ...canaries("passengers", row, "nationality", "passport_number"),
    addDays("2027-01-01", random.integer(0, 3600)),
    ...canaries("passengers", row, "phone", "email", "home_address"),
    occasionalCanary("passengers.emergency_contact", row, number - 1),
    occasionalCanary("passengers.medical_notes", row, number - 1),
  ];
}

function staffMember(
  code: string,
  number: number,
  name: string,
  gender: string | null,
): (string | number | null)[] {
  const row = `${code}.${number}`;
  return [
    ...[code, number, name, gender],
    ...canaries("staff", row, "legal_name", "national_id", "phone", "email", "home_address", "bank_account"),
    privateAmount(120 + number),
    canary("staff.internal_notes", row),
  ];
}
