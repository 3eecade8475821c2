/** A step of the reference schema's history: SQL scripts. Once released it is never edited, only followed. */
export interface SchemaMigration {
  readonly name: string;
  readonly up: string;
  readonly down: string;
}
