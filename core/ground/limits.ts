/*
 * The bounds on stored documents, one table for those who write a document and those who read it: what a
 * reader refuses, no writer may write. Tests take their values from here, so that a changed bound is crossed.
 */

/** A million programs. */
export const maxManifestBytes = 256 * 1024 * 1024;

/** 10,000 tokens are about 3 MB. */
export const maxRegistryBytes = 64 * 1024 * 1024;

/** 10,000 tenants are about 2 MB. */
export const maxConfirmedBytes = 16 * 1024 * 1024;

/** 10,000 tenants are about 4 MB, and at most 40 MB if each has failed with the longest message. */
export const maxLastRunsBytes = 64 * 1024 * 1024;

export const maxCurrentBytes = 64 * 1024;

/** 500 changes of tokens with 30 long scopes each are about 3 MB. */
export const maxRecordBytes = 16 * 1024 * 1024;

/** The most ids of left-out programs of a tenant in `runs/last.json`; `leftOutCount` counts all. */
export const maxLeftOutIds = 20;

/**
 * A partner that asks every two seconds stays within the line for ten minutes, however often data change.
 */
export const maxAncestors = 300;
