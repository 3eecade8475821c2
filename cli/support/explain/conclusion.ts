import { isProgramId, type TenantId } from "../../../core/ids.ts";
import type { JsonChange } from "../../snapshot/json-changes.ts";
import type { LastRun } from "../run-history.ts";
import type { ProgramInSource } from "./program-in-source.ts";
import type { ProgramInStore } from "./program-in-store.ts";

/** Everything that was found out about one program. */
export interface ProgramFacts {
  readonly tenantId: TenantId;
  /** As asked for, so possibly ill-formed. */
  readonly programId: string;
  readonly source: ProgramInSource;
  readonly store: ProgramInStore;
  readonly lastRun: LastRun | null;
  /** What the next build would change of what is served; `null` when not both sides are known. */
  readonly changes: readonly JsonChange[] | null;
}

/** What it comes to. */
export interface Conclusion {
  /** What a partner with a good token gets for `/v1/programs/{id}`. */
  readonly answer: 200 | 400 | 404 | 500;
  readonly verdict: Verdict;
  /** In a sentence or two. */
  readonly summary: string;
}

export type Verdict =
  /** As the source has it now, as far as the rules let it. */
  | "served"
  /** The next build changes it. */
  | "served_outdated"
  /** The next build takes it out. */
  | "served_leaving"
  /** The source no longer lists the tenant, which keeps its last snapshot. */
  | "served_unlisted"
  /** What the source has now is invalid: builds fail, or leave it out. */
  | "served_invalid"
  /** The source could not be asked. */
  | "served_unchecked"
  /** Publishable, and in no snapshot yet. */
  | "waiting"
  | "not_publishable"
  | "invalid"
  | "unknown_program"
  | "unknown_tenant"
  | "unserved_unchecked"
  | "unpublished_tenant"
  | "damaged_store"
  | "malformed_id";

/** Judges the facts. Pure, so that its table is easy to hold. */
export function conclusion(facts: ProgramFacts): Conclusion {
  const { store, programId } = facts;
  if (!isProgramId(programId)) return malformedId(facts);
  switch (store.kind) {
    case "damaged":
      return reached(500, "damaged_store", `Partners get 500: ${store.reason}`);
    case "unpublished":
      return unpublishedTenant(facts);
    case "live":
      return store.served === null ? unserved(facts) : served(facts);
  }
}

/** Whether an earlier snapshot that is kept has the program. */
export function wasServed({ store }: ProgramFacts): boolean {
  return store.kind === "live" && store.history.last !== null;
}

function malformedId({ programId, source }: ProgramFacts): Conclusion {
  const isInSource =
    source.kind === "invalid" || source.kind === "publishable" || source.kind === "not_publishable";
  const but = isInSource ? " The source has a program with this id; it cannot be published under it." : "";
  const id = JSON.stringify(programId);
  return reached(400, "malformed_id", `Partners get 400: ${id} is no well-formed program id.${but}`);
}

function unpublishedTenant({ tenantId, lastRun, source }: ProgramFacts): Conclusion {
  if (source.kind === "tenant_unknown") {
    const summary = `There is no tenant ${tenantId}: the source does not list it, and it was never published.`;
    return reached(500, "unknown_tenant", `${summary} With a token for it partners get 500 for everything.`);
  }
  const why =
    lastRun?.failure == null ? "no build ever ended well" : `the last run ${lastRun.outcome} (see below)`;
  return reached(
    500,
    "unpublished_tenant",
    `Partners get 500 for everything: tenant ${tenantId} has no published snapshot, since ${why}.`,
  );
}

function served({ source, changes }: ProgramFacts): Conclusion {
  switch (source.kind) {
    case "unavailable":
      return reached(
        200,
        "served_unchecked",
        "Served: partners get 200. Whether the booking database has changed since is unknown: it could not be asked.",
      );
    case "tenant_unknown":
      return reached(
        200,
        "served_unlisted",
        "Served: partners get 200, though the source no longer lists the tenant. It keeps its last snapshot.",
      );
    case "absent":
      return reached(
        200,
        "served_leaving",
        "Still served, though the source no longer has it: the next build takes it out.",
      );
    case "not_publishable":
      return reached(
        200,
        "served_leaving",
        `Still served, though the source calls it "${source.state}" now: the next build takes it out.`,
      );
    case "invalid":
      return reached(
        200,
        "served_invalid",
        "Served as it was; what the source has now is invalid and cannot replace it.",
      );
    case "publishable":
      return servedAndPublishable(source.dropped.length, changes);
  }
}

function servedAndPublishable(dropped: number, changes: ProgramFacts["changes"]): Conclusion {
  if (changes !== null && changes.length > 0) {
    const fields = [...new Set(changes.map(({ path }) => path.split(/[.[]/)[0]))].join(", ");
    const summary = `Served, but older than the source: the next build changes it (${fields}).`;
    return reached(200, "served_outdated", summary);
  }
  const values = dropped === 1 ? "One value of the source is" : `${dropped} values of the source are`;
  const but = dropped === 0 ? "" : ` ${values} not published, by rule.`;
  return reached(200, "served", `Served: partners get 200, and exactly what the source has now.${but}`);
}

function unserved(facts: ProgramFacts): Conclusion {
  const { source, programId } = facts;
  switch (source.kind) {
    case "unavailable":
      return reached(
        404,
        "unserved_unchecked",
        "Partners get 404: the live snapshot does not have it. Why is unknown: the booking database could not be asked.",
      );
    case "tenant_unknown":
      return reached(
        404,
        "unknown_tenant",
        "Partners get 404. The source's view partner_source.tenants does not list the tenant, so it is not built.",
      );
    case "absent": {
      const has = wasServed(facts) ? "no longer has" : "has no";
      const summary = `Partners get 404: the source ${has} program ${programId} of this tenant.`;
      return reached(404, "unknown_program", summary);
    }
    case "not_publishable":
      return reached(
        404,
        "not_publishable",
        `Partners get 404: its lifecycle state is "${source.state}", and only active programs are published.`,
      );
    case "invalid":
      return reached(
        404,
        "invalid",
        "Partners get 404: what the source has is invalid and cannot be published.",
      );
    case "publishable":
      return reached(
        404,
        "waiting",
        "Partners get 404 for now: the source has it and it is publishable, but the live snapshot was built without it.",
      );
  }
}

function reached(answer: Conclusion["answer"], verdict: Verdict, summary: string): Conclusion {
  return { answer, verdict, summary };
}
