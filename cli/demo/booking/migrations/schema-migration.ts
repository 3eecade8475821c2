/** A step of the reference schema's history, as SQL. A released step is never edited; changes are new steps. */
export interface SchemaMigration {
  readonly name: string;
  readonly up: string;
  readonly down: string;
}
