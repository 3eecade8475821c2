import type { AirlineBrand, Transport } from "../../../schemas/generated/types.ts";
import type { Report } from "./problem.ts";
import type { FlightRow } from "./program-source.ts";
import { publicUrl } from "./public-url.ts";
import { presentText } from "./text.ts";

/** D32: the distinct airlines by code, in source order, each with the first usable logo; `null` when there are none. */
export function transport(rows: readonly FlightRow[], report: Report): Transport | null {
  const airlines = new Map<string, AirlineBrand>();
  rows.forEach(([rawCode, rawLogo], at) => {
    const field = `transport.flights[${at}].airline`;
    const code = presentText(rawCode);
    if (code === null) {
      report("text_missing", `${field}.code`, rawCode);
      return;
    }
    const known = airlines.get(code);
    const logoUrl = known?.logoUrl ?? publicUrl(rawLogo, `${field}.logoUrl`, report);
    airlines.set(code, { code, logoUrl });
  });
  const flights = [...airlines.values()].map((airline) => ({ airline }));
  return flights.length === 0 ? null : { flights };
}
