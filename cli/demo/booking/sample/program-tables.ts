import type { SampleCell, SampleTable } from "../copy-rows.ts";
import { canaries, canary, occasionalCanary, privateAmount } from "../private-columns.ts";
import { driverNumber, hotelCode } from "./company-tables.ts";
import { marketingTables } from "./marketing-tables.ts";
import { sampleEnrollments } from "./sample-enrollments.ts";
import { addDays, cyclic, guideOf, roundTo, type SampleProgram } from "./sample-program.ts";

/** The tables of a program, in the order of their foreign keys. */
export const programTables: readonly SampleTable<SampleProgram>[] = [
  {
    name: "programs",
    columns: [
      ...["company_code", "code", "name", "state", "category_type", "category_subtype"],
      ...["departure_date", "return_date", "departure_point", "capacity", "currency", "single_price"],
      ...["guide_display_name", "daily_plan", "internal_notes", "responsible_agent", "estimated_cost"],
    ],
    rowsOf: (program) => [programRow(program)],
  },
  {
    name: "room_prices",
    columns: ["company_code", "program_code", "room_type_code", "amount", "supplier_cost", "supplier_notes"],
    rowsOf: (program) =>
      roomPrices(program).map(([type, amount], at) => [
        ...[...keyOf(program), type, amount, privateAmount(amount * 0.7)],
        occasionalCanary("room_prices.supplier_notes", rowOf(program, type), program.index + at),
      ]),
  },
  {
    name: "child_price_bands",
    columns: ["company_code", "program_code", "min_age", "max_age", "amount", "internal_notes"],
    rowsOf: (program) =>
      childPrices(program).map(([minAge, maxAge, amount], at) => [
        ...[...keyOf(program), minAge, maxAge, amount],
        occasionalCanary("child_price_bands.internal_notes", rowOf(program, minAge), program.index + at),
      ]),
  },
  {
    name: "hotel_stays",
    columns: [
      "company_code",
      "program_code",
      "position",
      "hotel_code",
      "check_in",
      "check_out",
      "room_block_notes",
    ],
    rowsOf: stayRows,
  },
  {
    name: "enrollments",
    columns: [
      ...["company_code", "program_code", "number", "role", "status", "passenger_number", "staff_number"],
      ...["amount_paid", "seat_request", "internal_notes"],
    ],
    rowsOf: enrollmentRows,
  },
  {
    name: "staff_assignments",
    columns: [
      ...["company_code", "program_code", "position", "staff_number", "duty"],
      ...["role_label", "fee", "internal_notes"],
    ],
    rowsOf: assignmentRows,
  },
  {
    name: "flights",
    columns: [
      ...["company_code", "program_code", "position", "airline_code", "flight_number"],
      ...["origin", "destination", "booking_reference", "group_fare"],
    ],
    rowsOf: flightRows,
  },
  ...marketingTables,
];

/** The first two columns of every table below a program. */
function keyOf({ company, code }: SampleProgram): readonly [string, string] {
  return [company.code, code];
}

function rowOf({ code }: SampleProgram, row: string | number): string {
  return `${code}.${row}`;
}

function programRow(program: SampleProgram): readonly SampleCell[] {
  const { company, code, name, state, tour, situation, price } = program;
  const random = program.random("program");
  const hasLegacyPrice = situation === "legacy_price_only" || random.chance(15);
  return [
    ...[company.code, code, name, state, tour.type, tour.subtype],
    ...[program.departureDate, program.returnDate, random.pick(company.profile.departurePoints)],
    ...[program.capacity, program.currency, hasLegacyPrice && situation !== "no_prices" ? price : null],
    situation === "no_marketing" ? null : guideOf(program, program.leadGuide).name,
    `06:30 wake-up call; 07:15 bus from the back entrance ${canary("programs.daily_plan", code)}`,
    ...canaries("programs", code, "internal_notes", "responsible_agent"),
    privateAmount(price * 9),
  ];
}

function roomPrices(program: SampleProgram): readonly (readonly [type: string, amount: number])[] {
  const { situation, price, company } = program;
  if (situation === "no_prices" || situation === "legacy_price_only") return [];
  const random = program.random("rooms");
  const step = company.profile.priceStep;
  return [
    ["double", price],
    // 0 means "on request"; such a price is not published.
    ["single", situation === "price_on_request" ? 0 : roundTo(price * 1.35, step)],
    ...(random.chance(85) ? [["triple", roundTo(price * 0.92, step)] as const] : []),
    ...(random.chance(25) ? [["quad", roundTo(price * 0.85, step)] as const] : []),
  ];
}

function childPrices(
  program: SampleProgram,
): readonly (readonly [minAge: number, maxAge: number, amount: number])[] {
  const { situation, price, company } = program;
  if (situation === "no_prices" || situation === "legacy_price_only") return [];
  const random = program.random("children");
  if (random.chance(15)) return [];
  const step = company.profile.priceStep;
  return [
    [0, 1, 0],
    [2, 6, roundTo(price * 0.4, step)],
    ...(random.chance(40) ? [[7, 11, roundTo(price * 0.7, step)] as const] : []),
  ];
}

function stayRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const { tour, days, departureDate } = program;
  const nights = days - 1;
  if (nights < 1) return [];
  const nightsEach = Math.max(1, Math.floor(nights / tour.hotels.length));
  return tour.hotels.map((hotel, at) => {
    const isLast = at === tour.hotels.length - 1;
    const [from, to] = [at * nightsEach, isLast ? nights : (at + 1) * nightsEach];
    return [
      ...[...keyOf(program), at + 1, hotelCode(hotel)],
      departureDate === null ? null : addDays(departureDate, from),
      departureDate === null ? null : addDays(departureDate, Math.max(from, to)),
      occasionalCanary("hotel_stays.room_block_notes", rowOf(program, at + 1), program.index + at),
    ];
  });
}

function enrollmentRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const random = program.random("passengers");
  const { passengerCount, profile } = program.company;
  return sampleEnrollments(program).map(({ role, status }, at) => [
    ...[...keyOf(program), at + 1, role, status],
    role === "passenger" ? random.integer(1, passengerCount) : null,
    role === "staff" ? 1 + ((program.leadGuide + at) % profile.guides.length) : null,
    role === "passenger" ? privateAmount(program.price) : null,
    occasionalCanary("enrollments.seat_request", rowOf(program, at + 1), program.index + at),
    occasionalCanary("enrollments.internal_notes", rowOf(program, at + 1), program.index + at + 2),
  ]);
}

function assignmentRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  if (program.situation === "no_marketing") return [];
  const random = program.random("staff");
  const { guides, dutyLabels } = program.company.profile;
  const assignments = [
    { duty: "lead_guide", number: 1 + program.leadGuide } as const,
    ...(random.chance(60)
      ? [{ duty: "teacher", number: 1 + ((program.leadGuide + 1) % guides.length) } as const]
      : []),
    { duty: "driver", number: driverNumber(guides.length) } as const,
  ];
  return assignments.map(({ duty, number }, at) => [
    ...[...keyOf(program), at + 1, number, duty],
    random.chance(90) ? dutyLabels[duty] : null,
    privateAmount(program.price),
    occasionalCanary("staff_assignments.internal_notes", rowOf(program, at + 1), program.index + at),
  ]);
}

function flightRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  if (program.days < 4) return [];
  const random = program.random("flights");
  const { airlines } = program.company.profile;
  const first = random.integer(0, airlines.length - 1);
  // The flights out and back are mostly with the same airline.
  return [first, random.chance(70) ? first : first + 1].map((airline, at) => [
    ...[...keyOf(program), at + 1, cyclic(airlines, airline)],
    ...canaries("flights", rowOf(program, at + 1), "flight_number", "origin", "destination"),
    canary("flights.booking_reference", rowOf(program, at + 1)),
    privateAmount(program.price / 2),
  ]);
}
