import { atlasJourneys } from "./profiles/atlas-journeys.ts";
import { kinneretTours } from "./profiles/kinneret-tours.ts";
import { sakuraTrails } from "./profiles/sakura-trails.ts";
import { thalassaOdyssey } from "./profiles/thalassa-odyssey.ts";
import { zaytunaTravel } from "./profiles/zaytuna-travel.ts";
import type { SampleProfile } from "./sample-profile.ts";

export interface SampleCompany {
  readonly code: string;
  readonly name: string;
  readonly programPrefix: string;
  readonly programCount: number;
  readonly passengerCount: number;
  readonly profile: SampleProfile;
}

const profiles = [atlasJourneys, kinneretTours, sakuraTrails, thalassaOdyssey, zaytunaTravel] as const;

/**
 * `count` companies, ordered by code. The first five are those of the profiles. Further ones are generated, each with the
 * catalogue of one of the five.
 */
export function sampleCompanies(count: number, programCount: number): readonly SampleCompany[] {
  return Array.from({ length: count }, (_, index) => sampleCompany(index, programCount)).sort((a, b) =>
    a.code < b.code ? -1 : 1,
  );
}

function sampleCompany(index: number, programCount: number): SampleCompany {
  const profile = profiles[index % profiles.length] ?? atlasJourneys;
  const passengerCount = Math.min(Math.max(40, programCount * 2), maxPassengers);
  const sizes = { programCount, passengerCount, profile };
  if (index < profiles.length) {
    return { ...sizes, code: profile.code, name: profile.name, programPrefix: profile.programPrefix };
  }
  const place = places[index % places.length] ?? "Meridian";
  const trade = trades[Math.floor(index / places.length) % trades.length] ?? "Tours";
  return {
    ...sizes,
    code: `${place}-${trade}-${index}`.toLowerCase(),
    name: `${place} ${trade} ${index}`,
    programPrefix: `${place.slice(0, 3).toUpperCase()}${index}`,
  };
}

/** The rows of one company must fit in memory, however many programs it has. */
const maxPassengers = 20_000;

const places = [
  "Meridian",
  "Cedar",
  "Harbour",
  "Lantern",
  "Juniper",
  "Saffron",
  "Compass",
  "Heron",
  "Monsoon",
  "Polaris",
  "Tamarisk",
] as const;
const trades = ["Tours", "Travel", "Voyages", "Expeditions", "Holidays"] as const;
