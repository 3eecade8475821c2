export interface SampleAirline {
  readonly code: string;
  readonly name: string;
  readonly logoUrl: string | null;
}

/** Shared by all companies. One has no logo, and one has a logo that may not be published (not https). */
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
