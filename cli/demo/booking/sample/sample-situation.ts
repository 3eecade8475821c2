/**
 * What is special about a program. A company's first 24 programs have one each, so that the default sample has every case.
 * Further programs start the list again.
 */
export const sampleSituations = [
  "ordinary",
  "sold_out",
  "overbooked",
  "draft",
  "ordinary",
  "cancelled",
  "no_dates",
  "completed",
  "legacy_price_only",
  "archived",
  "under_way",
  "ended",
  "return_before_departure",
  "ordinary",
  "no_prices",
  "all_enrollments_terminal",
  "many_staff_enrolled",
  "ordinary",
  "no_marketing",
  "one_day",
  "no_return_date",
  "price_on_request",
  "no_capacity",
  "last_places",
] as const;

export type SampleSituation = (typeof sampleSituations)[number];

export function situationOf(programIndex: number): SampleSituation {
  return sampleSituations[programIndex % sampleSituations.length] ?? "ordinary";
}
