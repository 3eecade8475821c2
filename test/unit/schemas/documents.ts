import { isAuditDocument, isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListItem,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { isLastRunsDocument, isRunReport } from "../../../schemas/generated/validators-run-report.ts";
import { isSourceDocument } from "../../../schemas/generated/validators-source.ts";
import {
  isConfirmedDocument,
  isCurrentDocument,
  isManifestDocument,
  isSandboxDocument,
  isStoreDocument,
  isTokensDocument,
} from "../../../schemas/generated/validators-stored.ts";
import type { CompiledValidator } from "../../../schemas/validate.ts";
import { example, valueAt } from "./mutations.ts";
import { detailShape, errorShape, legacyShape, listItemShape, listShape } from "./published-shapes.ts";
import * as run from "./run-shapes.ts";
import type { Shape } from "./shapes.ts";
import * as samples from "./stored-samples.ts";
import * as stored from "./stored-shapes.ts";

/** One kind of document: a valid one that has every part, the validator, and what may stand at each of its places. */
export interface DocumentKind {
  readonly name: string;
  readonly document: unknown;
  readonly isDocument: CompiledValidator<unknown>;
  readonly shape: Shape;
  /** Where several shapes may stand. A value that fits none of them cannot be blamed on one of their keys. */
  readonly alternatives?: string;
}

const errorResponse = { error: { code: "not_found", message: "Resource not found" }, requestId: "a-1" };
const list = example("program-list");

/** All documents with a schema, published and stored. */
export const documents: readonly DocumentKind[] = [
  { name: "list response", document: list, isDocument: isProgramListResponse, shape: listShape },
  {
    name: "list item",
    document: valueAt(list, "/data/0"),
    isDocument: isProgramListItem,
    shape: listItemShape,
  },
  {
    name: "detail response",
    document: example("program-detail"),
    isDocument: isProgramDetailResponse,
    shape: detailShape,
  },
  {
    name: "legacy response",
    document: example("legacy-programs"),
    isDocument: isLegacyProgramsResponse,
    shape: legacyShape,
  },
  {
    name: "error response",
    document: errorResponse,
    isDocument: isErrorResponse,
    shape: errorShape,
  },
  {
    name: "audit/",
    document: samples.audit,
    isDocument: isAuditDocument,
    shape: stored.auditShape,
    alternatives: "/changes/",
  },
  {
    name: "confirmed.json",
    document: samples.confirmed,
    isDocument: isConfirmedDocument,
    shape: stored.confirmedShape,
  },
  {
    name: "current.json",
    document: samples.current,
    isDocument: isCurrentDocument,
    shape: stored.currentShape,
  },
  {
    name: "manifest.json",
    document: samples.manifest,
    isDocument: isManifestDocument,
    shape: stored.manifestShape,
  },
  {
    name: "sandbox.json",
    document: samples.sandbox,
    isDocument: isSandboxDocument,
    shape: stored.sandboxShape,
  },
  {
    name: "removed.json",
    document: samples.removed,
    isDocument: isRemovedDocument,
    shape: stored.removedShape,
  },
  { name: "store.json", document: samples.store, isDocument: isStoreDocument, shape: stored.storeShape },
  { name: "tokens.json", document: samples.tokens, isDocument: isTokensDocument, shape: stored.tokensShape },
  { name: "last.json", document: samples.lastRuns, isDocument: isLastRunsDocument, shape: run.lastRunsShape },
  { name: "run report", document: samples.runReport, isDocument: isRunReport, shape: run.runReportShape },
  {
    name: "source.json",
    document: samples.sourceMemory,
    isDocument: isSourceDocument,
    shape: run.sourceMemoryShape,
  },
];
