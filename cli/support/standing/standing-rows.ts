import { missingRows } from "./missing-rows.ts";
import { refusedRows } from "./refused-rows.ts";
import { servedRows } from "./served-rows.ts";
import type { Kind, Rows } from "./standing-row.ts";

/** P47: every standing with its sentence and what is to be done. */
export const standingRows: Rows<Kind> = { ...refusedRows, ...servedRows, ...missingRows };
