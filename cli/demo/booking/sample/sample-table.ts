/** A value of a column: an array is a `text[]`. */
export type SampleCell = string | number | null | readonly string[];

/** How the rows of one table follow from something of the sample. */
export interface SampleTable<Origin> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rowsOf: (origin: Origin) => readonly (readonly SampleCell[])[];
}
