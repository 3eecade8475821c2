/** What stands before and after the elements of a list of so many programs (D13). */
export function listEnds(programs: number): readonly [opening: string, closing: string] {
  return ['{"data":[', `],"meta":{"count":${programs}}}`];
}

/** The same of the legacy response (D12). */
export const legacyEnds = ['{"success":true,"programs":[', "]}"] as const;

/** A departure date as a number that sorts like it; no date sorts after 9999-12-31. */
export function departureNumber(departureDate: string | null): number {
  return departureDate === null ? 100_000_000 : Number(departureDate.replaceAll("-", ""));
}

/** The places of the elements in list order: departure ascending, then by place, which is the order of the ids (D8). */
export function listOrder(departures: readonly number[]): Uint32Array {
  const order = new Uint32Array(departures.length).map((_, at) => at);
  return order.sort((a, b) => (departures[a] ?? 0) - (departures[b] ?? 0) || a - b);
}
