import type { Knex } from "knex";
import { companiesAndPrograms } from "./001-companies-and-programs.ts";
import { lodgingAndPrices } from "./002-lodging-and-prices.ts";
import { people } from "./003-people.ts";
import { flights } from "./004-flights.ts";
import { marketing } from "./005-marketing.ts";
import { partnerSourceViews } from "./006-partner-source-views.ts";
import { changeNotifications } from "./007-change-notifications.ts";
import { sampleData } from "./008-sample-data.ts";
import { changedPrograms } from "./009-changed-programs.ts";

/** A step of the reference schema's history, as SQL. A released step is never edited; changes are new steps. */
interface SchemaMigration {
  readonly name: string;
  readonly up: string;
}

/** In the order in which they are applied. */
const migrations: readonly SchemaMigration[] = [
  companiesAndPrograms,
  lodgingAndPrices,
  people,
  flights,
  marketing,
  partnerSourceViews,
  changeNotifications,
  sampleData,
  changedPrograms,
];

/** The migrations are imported, so that the built package needs not search for files. */
export const migrationSource: Knex.MigrationSource<SchemaMigration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: ({ name }) => name,
  // knex requires a `down` step, which no command runs.
  getMigration: ({ up }) => Promise.resolve({ up: (knex) => knex.raw(up), down: () => Promise.reject() }),
};
