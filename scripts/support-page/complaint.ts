import type { Company } from "./company.ts";

/** A complaint of partners, one cause of it, and the command that shows the cause. */
export interface Complaint {
  readonly title: string;
  /** What has happened, as the page tells it. */
  readonly story: string;
  /** Causes it. The clock is the terminal's. */
  readonly plant: (company: Company) => Promise<void>;
  /** The command line without the program's name. `gateway.log` is the log of the company's gateway. */
  readonly command: string;
  readonly meaning: string;
}
