import type { Company } from "./company.ts";

/** A thing that partners say, how it can come about, and the one command that tells why. */
export interface Complaint {
  readonly title: string;
  /** What is planted, as the page tells it. */
  readonly story: string;
  /** Makes it so; the clock is the terminal's. */
  readonly plant: (company: Company) => Promise<void>;
  /** Without the program's name in front. `gateway.log` is the log of the company's gateway. */
  readonly command: string;
  readonly meaning: string;
}
