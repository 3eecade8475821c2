import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { detailEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { counted } from "../../output/counted.ts";
import { fieldLabel } from "../../publish/public-program/field-words.ts";
import { knownRemovals } from "../../publish/run/run-tenants.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { dataOf, responseBytes } from "../../publish/snapshot/stored-response.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import {
  type CaseVariant,
  keptTenants,
  publishedCaseVariants,
  storedTenants,
} from "../../publish/snapshot/stored-tenants.ts";
import { sourceViews, type ViewName, viewNames } from "../../publish/source/contract.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { advice } from "./view-problem.ts";

/** Calls with the store of the settings; throws where there is none to be had. */
export type AskStore = <Result>(ask: (store: ObjectStore) => Promise<Result>) => Promise<Result>;

/** The tenants that the source lists; `undefined` where it does not say. */
type Listed = readonly TenantId[] | undefined;

/**
 * P150: throws when partners see data of a missing view, since an empty view would remove it with the next build. Throws also
 * when the store cannot be asked. `allowed` views are not checked.
 */
export async function requireUnseen(
  missing: {
    readonly views: readonly string[];
    readonly allowed: readonly string[];
    readonly listed: Listed;
  },
  askStore: AskStore,
  signal: AbortSignal,
): Promise<void> {
  const views = viewNames().filter((view) => missing.views.includes(view) && !missing.allowed.includes(view));
  if (views.length === 0) return;
  const use = await askStore((store) => liveUse(store, views, missing.listed, signal)).catch(
    (error: unknown) => {
      if (signal.aborted) throw error;
      const sentence = `It is not known whether partners see data of ${listed(views)}, since the store could not be asked: ${asFailure(error).message}`;
      throw refusal([sentence], views, { cause: error });
    },
  );
  const seen = views.filter((view) => use.has(view));
  if (seen.length === 0) return;
  const sentences = seen.map(
    (view) =>
      `partner_source.${view} is missing, and partners see data of it: ${words(view, use.get(view) ?? 0)}.`,
  );
  throw refusal([...sentences, "An empty view would take that from them with the next build."], seen);
}

/** The problems, with those of missing views saying what partners see of them, as far as the store can be asked. */
export async function withLiveUse(
  problems: readonly SourceProblem[],
  listed: Listed,
  askStore: AskStore,
  signal: AbortSignal,
): Promise<readonly SourceProblem[]> {
  const views = viewNames().filter((name) =>
    problems.some(({ code, view }) => code === "view_missing" && view === name),
  );
  if (views.length === 0) return problems;
  const use = await knownLive(askStore, (store) => liveUse(store, views, listed, signal), signal);
  return problems.map((problem) => {
    const view = views.find((name) => name === problem.view && problem.code === "view_missing");
    const programs = view === undefined ? undefined : use?.get(view);
    if (view === undefined || programs === undefined) return problem;
    const message = `The view partner_source.${view} is missing: restore the view; ${words(view, programs)}.`;
    const text = `restore the view partner_source.${view} from your own scripts or a backup (pg_dump --schema=partner_source); only if partners are to lose the data, run partner-programs source init --views-only --allow-empty ${view}`;
    return { ...problem, message, fix: advice(text) };
  });
}

/** P146: the listed tenants whose ids differ from those of published ones in case only, as far as the store can be asked. */
export async function knownCaseVariants(
  listed: readonly TenantId[],
  askStore: AskStore,
  signal: AbortSignal,
): Promise<readonly CaseVariant[]> {
  const known = new Set(listed);
  const ask = async (store: ObjectStore): Promise<readonly CaseVariant[]> => {
    const unlisted: TenantId[] = [];
    for await (const tenantId of keptTenants(store, await knownRemovals(store, signal), signal)) {
      if (!known.has(tenantId)) unlisted.push(tenantId);
    }
    return await publishedCaseVariants(store, listed, unlisted, signal);
  };
  return (await knownLive(askStore, ask, signal)) ?? [];
}

/** `undefined` when the store cannot be asked, since the other findings of a check do not need it. */
async function knownLive<Result>(
  askStore: AskStore,
  ask: (store: ObjectStore) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return await askStore(ask).catch((error: unknown) => {
    if (signal.aborted) throw error;
    return undefined;
  });
}

const maxParallelReads = 16;

/**
 * For each view: how many live programs show something that only this view gives. Unlisted tenants are left out, since they keep
 * their snapshot whatever becomes of the views.
 */
async function liveUse(
  store: ObjectStore,
  views: readonly ViewName[],
  listed: Listed,
  signal: AbortSignal,
): Promise<ReadonlyMap<ViewName, number>> {
  const use = new Map<ViewName, number>();
  // The sandbox's data comes from no view.
  const sandbox = await knownSandbox(store, signal);
  const known = listed && new Set(listed);
  for await (const tenantId of storedTenants(store, signal)) {
    if (tenantId === sandbox || known?.has(tenantId) === false) continue;
    const live = await publishedSnapshot(store, tenantId, signal);
    if (live === undefined) continue;
    await forEachBounded(live.manifest.programs.ids(), maxParallelReads, async (id) => {
      const entry = detailEntry(live.manifest, id);
      if (entry === undefined) return;
      const detail = dataOf(await responseBytes(store, entry, signal), entry.key);
      for (const view of views) if (isSeen(detail, view)) use.set(view, (use.get(view) ?? 0) + 1);
    });
  }
  return use;
}

/** Whether the public field that the view's rows become has anything in it. */
function isSeen(detail: unknown, view: ViewName): boolean {
  const { field } = sourceViews[view];
  if (field === null) return true;
  let value: unknown = detail;
  for (const name of field.split(".")) {
    value = typeof value === "object" && value !== null ? Object(value)[name] : null;
  }
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === "number" ? value > 0 : value !== null && value !== undefined;
}

function words(view: ViewName, programs: number): string {
  const { field } = sourceViews[view];
  const what =
    field === null
      ? "are live"
      : `${programs === 1 ? "has" : "have"} ${fieldLabel(field).toLowerCase()} from it`;
  return `${counted(programs, "program")} ${what}`;
}

function listed(views: readonly string[]): string {
  return views.map((view) => `partner_source.${view}`).join(", ");
}

function refusal(
  sentences: readonly string[],
  views: readonly string[],
  options?: { readonly cause: unknown },
): Failure {
  const restore = `Nothing was changed. Restore ${views.length === 1 ? "the view" : "the views"}; or, if partners are to lose the data, run:`;
  const command = `  partner-programs source init --views-only --allow-empty ${views.join(" ")}`;
  return new Failure("shrink_guard", [...sentences, restore, command], options);
}
