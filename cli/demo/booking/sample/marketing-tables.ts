import type { SampleCell, SampleTable } from "../copy-rows.ts";
import { canary, canaryMark, occasionalCanary } from "../private-columns.ts";
import { cyclic, hotelOf, type SampleProgram } from "./sample-program.ts";
import type { SampleRandom } from "./sample-random.ts";

/** The tables of published texts and pictures, which hold the editors' private notes, too. */
export const marketingTables: readonly SampleTable<SampleProgram>[] = [
  {
    name: "program_days",
    columns: [
      ...["company_code", "program_code", "day", "title", "public_description"],
      ...["daily_plan", "driver_instructions"],
    ],
    rowsOf: dayRows,
  },
  {
    name: "marketing_copy",
    columns: [
      ...["company_code", "program_code", "description", "accommodation_description"],
      ...["tags", "included", "excluded", "visits", "campaign_notes"],
    ],
    rowsOf: copyRows,
  },
  {
    name: "media",
    columns: ["company_code", "program_code", "position", "kind", "url", "photographer_contact"],
    rowsOf: mediaRows,
  },
  {
    name: "faq",
    columns: ["company_code", "program_code", "position", "question", "answer", "editor_notes"],
    rowsOf: faqRows,
  },
];

function dayRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const { company, code, index, days, tour, situation } = program;
  if (situation === "no_marketing") return [];
  const random = program.random("days");
  // Longer tours publish their highlights: arrival, every place visited, farewell.
  const shown = Math.min(days, tour.visits.length + 2);
  return Array.from({ length: shown }, (_, at) => {
    const [title, description] = dayText(program, random, at, shown);
    return [
      ...[company.code, code, at + 1, title, description],
      canary("program_days.daily_plan", `${code}.${at + 1}`),
      occasionalCanary("program_days.driver_instructions", `${code}.${at + 1}`, index + at),
    ];
  });
}

function dayText(
  program: SampleProgram,
  random: SampleRandom,
  at: number,
  shown: number,
): [title: string, description: string | null] {
  const { profile } = program.company;
  if (at > 0 && at === shown - 1) return [profile.farewell, null];
  const description = random.chance(85) ? random.pick(profile.dayDescriptions) : null;
  if (at > 0 || shown === 1) return [cyclic(program.tour.visits, Math.max(0, at - 1)), description];
  return [profile.arrival.replace("{city}", hotelOf(program, 0).city ?? ""), description];
}

function copyRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const { company, code, tour, situation } = program;
  if (situation === "no_marketing") return [];
  const random = program.random("copy");
  const { included, excluded, accommodation } = company.profile;
  return [
    [
      ...[company.code, code, tour.description, random.chance(80) ? accommodation : null],
      random.chance(90) ? tour.tags : null,
      included.slice(0, random.integer(2, included.length)),
      // Some programs get an empty list.
      excluded.slice(0, random.integer(0, excluded.length)),
      tour.visits,
      canary("marketing_copy.campaign_notes", code),
    ],
  ];
}

function mediaRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const { company, code, index, situation } = program;
  if (situation === "no_marketing") return [];
  const random = program.random("media");
  const folder = `https://images.example.com/${company.code}/${index + 1}`;
  const pictures = [
    ["cover", `${folder}/cover.jpg`],
    ...Array.from(
      { length: random.integer(1, 3) },
      (_, at) => ["gallery", `${folder}/${at + 1}.jpg`] as const,
    ),
    // The same table has material for printers, which is not published.
    ["print", `https://print.example.com/${canaryMark}media.print-${code}.tif`],
  ] as const;
  return pictures.map(([kind, url], at) => [
    ...[company.code, code, at + 1, kind, url],
    occasionalCanary("media.photographer_contact", `${code}.${at + 1}`, index + at),
  ]);
}

function faqRows(program: SampleProgram): readonly (readonly SampleCell[])[] {
  const { company, code, index, situation } = program;
  if (situation === "no_marketing") return [];
  const { faq } = company.profile;
  const first = program.random("faq").integer(0, faq.length - 1);
  return Array.from({ length: Math.min(3, faq.length) }, (_, at) => [
    ...[company.code, code, at + 1, ...cyclic(faq, first + at)],
    occasionalCanary("faq.editor_notes", `${code}.${at + 1}`, index + at),
  ]);
}
