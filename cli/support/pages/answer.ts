import type { Page } from "./page.ts";

/** What a route answers with. */
export type Answer = Page | Redirect | Download;

/** Leads on to another address of these pages. */
export interface Redirect {
  readonly location: string;
}

/** A file to keep. */
export interface Download {
  /** Of letters, digits, `.`, `_`, `~` and `-`. */
  readonly fileName: string;
  readonly contentType: string;
  readonly body: string;
}
