/*
 * The bounds that only the generator knows. The law about incremental builds takes its histories from this
 * table. It stands in a folder of the recipe, since some of these decide what a build remembers and reports.
 */

/** What is read together has at most 4 MB, and ten times as much when it is parsed. */
export const programsPerRound = 32;
/** A program with more bytes is read alone. */
export const smallBytes = 128 * 1024;

/** When more of the programs have changed, all are read: looking each up by its id would cost more. */
export const maxChangedShare = 1 / 3;

/** A program with more findings is read again by each build, so that lines of the memory stay short. */
export const maxRememberedFindings = 50;
/** This is room for 2.5 million programs of 100 bytes. */
export const maxMemoryBytes = 256 * 1024 * 1024;

/** Further problems of a tenant are only counted. */
export const maxTenantFindings = 200;
/** P217: further findings of a run are only counted, for errors and warnings each. */
export const maxRunFindings = 5000;

/** The programs that a run of all tenants proves. */
export const maxSpotPrograms = 8;
