import { isProgramId } from "../../../core/ground/ids.ts";
import { fieldLabel } from "../../output/field-words.ts";
import { plainTime, type Reader } from "../../output/words.ts";
import type { ElsewhereProgram } from "../facts/asked-database.ts";
import { awaitedBuild, buildStateOf, guardSteps } from "./builds.ts";
import {
  activation,
  besides,
  correctionSteps,
  daysFinding,
  faultWords,
  flawed,
  ifActiveWords,
  problemList,
  saidStates,
  unpublishedState,
} from "./problem-words.ts";
import {
  goneSince,
  type ProgramFacts,
  type ProgramJudgement,
  type Standing,
  standingRow,
} from "./standings.ts";
import { commandTo, forOperations, forSupport, nextStep, remedies, type Step } from "./steps.ts";

/** Judges a program (P47): its standing, and what stands in the way of the build that it waits for. Pure. */
export function judgedProgram(facts: ProgramFacts, reader: Reader): ProgramJudgement {
  const { tenant, programId, store } = facts;
  const { name, now, steps } = standingOf(facts, reader);
  const [answer, verdict, need, effect = ""] = standingRow(name);
  const finding = daysFinding(facts, reader);
  const own = steps.filter((step) => step !== undefined && step !== false);
  const first = [...finding.steps, ...own];
  const judged = { row: name, answer, verdict, summary: `${now}${finding.now}`, next: nextStep(first) };
  // The sandbox waits for no build.
  if (need === undefined || tenant.isSandbox) return judged;
  const isOnly = store.kind === "live" && store.programs === 1;
  const isCorrection = need === "correction";
  const about = { tenant, programId, isOnly, effect, isWait: !isCorrection && own.length === 0 };
  const then = awaitedBuild({ ...about, need: isCorrection ? "change" : need }, reader);
  const summary = `${now}${isCorrection ? "" : ` ${then.sentence}`}${finding.now}`;
  return { ...judged, row: `${name}/${then.obstacle}`, summary, next: nextStep([...first, ...then.steps]) };
}

function is(name: Standing["name"], now: string, steps: Standing["steps"] = []): Standing {
  return { name, now, steps };
}

/** What partners see of a program × what the source says. Total: each combination has one standing. */
function standingOf(facts: ProgramFacts, reader: Reader): Standing {
  const { store, programId, tenantId, tenant, source } = facts;
  const goneAt = goneSince(tenant);
  if (goneAt !== null) {
    // P91: whatever is still stored, a removed tenant's partners get nothing.
    const isListed = source.kind !== "tenant_unknown" && source.kind !== "unavailable";
    const again = isListed ? " The booking system lists the tenant again." : "";
    const now = `Partners get 401 (unauthorized) for everything: tenant ${tenantId} was removed on ${plainTime(goneAt, reader)}, and its access keys ended with it.${again}`;
    return withProgram(facts, is("removed", now, remedies.removed(tenantId, isListed)));
  }
  if (!isProgramId(programId)) return malformedId(facts);
  if (tenant.isSandbox) return inSandbox(facts);
  if (store.kind === "damaged") {
    const steps = remedies.damage(tenantId, tenant.hold !== null, source.kind !== "tenant_unknown");
    // A build that mends it meets the guard again.
    const guard = buildStateOf(tenant, reader).block === "guard" ? guardSteps(tenant) : [];
    const refused = guard.length === 0 ? "" : " The last build was refused, and so may be one that mends it.";
    const now = `Partners get 500 (internal error): a published file is damaged.${refused}`;
    return withProgram(facts, is("damaged", now, [...steps, ...guard]));
  }
  if (store.kind === "unpublished") return unpublished(facts, store.isStore);
  return store.served === null ? missing(facts, store) : served(facts);
}

/** A tenant's standing with what is said of the program, whose correction comes before a build. */
function withProgram(facts: ProgramFacts, { name, now, steps: [first, ...rest] }: Standing): Standing {
  const own = besides(facts);
  return is(name, `${now}${own.now}`, [first, ...own.steps, ...rest]);
}

function served(facts: ProgramFacts): Standing {
  const { source, tenantId, tenant, changes } = facts;
  switch (source.kind) {
    case "unavailable": {
      const now =
        "Partners see it. Whether the booking system says something else by now is not known: it could not be asked.";
      return is("served_unchecked", now, [forSupport(askAgain), mendViews]);
    }
    case "tenant_unknown": {
      const now = `Partners see it as it was last published, though the booking system no longer lists tenant ${tenantId}; builds pass the tenant over.`;
      const steps = remedies.unlisted(tenantId, ", which ends its access keys");
      return withProgram(facts, is("served_unlisted", now, steps));
    }
    case "absent":
      return is("served_absent", "Partners still see it, though the booking system no longer has it.");
    case "not_publishable": {
      const now = `Partners still see it, though the source says ${saidStates(source)} now.${ifActiveWords(source)}`;
      return is("served_withdrawn", now);
    }
    case "invalid": {
      const stopping = stoppingAt(tenant);
      const now = `Partners see it as it was; what the booking system has now cannot be published${stopping}: ${faultWords(source)}`;
      return is(stopping === "" ? "served_faulty" : "served_stopping", now, correctionSteps(source));
    }
    case "publishable":
      break;
  }
  const flaws = problemList(source.dropped);
  if (changes !== null && changes.length > 0) {
    const fields = new Set(changes.map(({ path }) => fieldLabel(path.split(/[.[]/)[0] ?? path)));
    const now = `Partners see an older version; the booking system has changed since (${[...fields].join(", ")}).${flawed(source)}`;
    return is("served_differs", now, correctionSteps(source));
  }
  const count = source.dropped.length;
  if (count === 0) {
    return is("served_same", "Partners see it, exactly as the booking system has it now.", [nothingToDo]);
  }
  const values = count === 1 ? "one value that is not published" : `${count} values that are not published`;
  const now = `Partners see it as the booking system has it now, but for ${values}, by rule: ${flaws}`;
  const mend = `If a value above should be seen, have it corrected in the booking system.`;
  return is("served_dropped", now, [forSupport(mend)]);
}

type LiveStore = Extract<ProgramFacts["store"], { readonly kind: "live" }>;

function missing(facts: ProgramFacts, store: LiveStore): Standing {
  const { source, tenant, tenantId } = facts;
  const unseen = "Partners do not see it (404):";
  switch (source.kind) {
    case "unavailable": {
      const near = store.near !== null && commandTo.explain(tenantId, store.near);
      const now = `${unseen} it is not among what is published. Why is not known: the booking system could not be asked.${didYouMean(store.near)}`;
      return is("missing_unchecked", now, [forSupport(askAgain, near), mendViews]);
    }
    case "tenant_unknown": {
      const now = `${unseen} it is not among what is published, and the booking system does not list tenant ${tenantId}, so builds pass the tenant over.`;
      return withProgram(facts, is("missing_unlisted", now, [forSupport(tenantAdvice, "source check")]));
    }
    case "not_publishable":
      return is("missing_unpublishable", `${unseen} ${unpublishedState(source)}`, [activation(source)]);
    case "invalid": {
      const stopping = stoppingAt(tenant);
      const now = `${unseen} what the booking system has cannot be published${stopping}. ${faultWords(source)}`;
      return is(stopping === "" ? "missing_faulty" : "missing_stopping", now, correctionSteps(source));
    }
    case "publishable": {
      const now = `${unseen} the booking system has it, fit to be published, but what is published was built without it.${flawed(source)}`;
      return is("missing_waiting", now, correctionSteps(source));
    }
    case "absent":
      return absent(facts, source.elsewhere, store);
  }
}

/** Neither partners nor the source have it under this id. */
function absent(
  { tenantId, programId, otherSpelling }: ProgramFacts,
  elsewhere: readonly ElsewhereProgram[],
  store: LiveStore,
): Standing {
  if (otherSpelling !== null) {
    const { programId: id, answer, summary, next } = otherSpelling;
    const tell = "Tell the partner the right id, or to take ids from the list.";
    const explain = commandTo.explain(tenantId, id);
    const nor = answer === 200 ? "" : ` Nor would that id help: ${summary}`;
    const now = `Partners get 404 for this id: the booking system writes it ${JSON.stringify(id)}, and ids are compared exactly, capitals and spaces too.${nor}`;
    const steps = [...next.steps, forSupport(`After that: ${tell}`, explain)];
    return is("missing_spelled", now, answer === 200 ? [forSupport(tell, explain)] : steps);
  }
  const { past, near } = store;
  const owner = elsewhere.find((found) => found.programId === programId) ?? elsewhere[0];
  // Partners of this tenant had it, whoever has it by now.
  if (past?.kind === "removed" || past?.kind === "rolled_back") {
    const moved = owner && ` It has ${JSON.stringify(owner.programId)} under tenant ${owner.tenantId}.`;
    const now = `Partners no longer see it (404): the booking system no longer has it.${moved ?? ""}`;
    const restore =
      "If it should still be sold, have it restored in the booking system; if not, tell the partner that it is gone.";
    return is("missing_gone", now, [forSupport(restore)]);
  }
  if (owner !== undefined) {
    const now = `Partners of this tenant do not see it (404): the booking system has ${JSON.stringify(owner.programId)} under tenant ${owner.tenantId}, and an access key reads the programs of its own tenant only.`;
    const tell =
      "Do not tell this partner of another tenant's programs. See how it stands there, if that helps.";
    return is("missing_elsewhere", now, [
      forSupport(tell, commandTo.explain(owner.tenantId, owner.programId)),
    ]);
  }
  const neither = "Partners get 404 for this id: neither the booking system nor what is published has it";
  if (near !== null) {
    const ask = forSupport("Ask the partner to take ids from the list.", commandTo.explain(tenantId, near));
    return is("missing_near", `${neither}.${didYouMean(near)}`, [ask]);
  }
  const check =
    "Check the id: partners take it from the list, and it may differ from the number in the booking system.";
  return is("missing_unknown", `${neither}, nor an id like it.`, [
    forSupport(check, commandTo.list(tenantId)),
  ]);
}

/** Whatever becomes of this program, its tenant has to be published first. */
function unpublished(facts: ProgramFacts, isStore: boolean): Standing {
  const { tenantId, source } = facts;
  const everything = `Partners get 500 (internal error) for everything: nothing is published for tenant ${tenantId}.`;
  switch (source.kind) {
    case "tenant_unknown": {
      const now = `There is no tenant ${tenantId}: the booking system does not list it, and nothing is published for it. With an access key for it partners get 500 (internal error) for everything.`;
      const step = isStore ? forSupport(tenantAdvice, "source check") : beginStore;
      const standing = is("unpublished_unlisted", isStore ? now : noStore, [step]);
      return isStore ? withProgram(facts, standing) : standing;
    }
    case "unavailable": {
      const now = `${everything} Whether there is such a tenant is not known: the booking system could not be asked.`;
      const steps = [forSupport(`Check the tenant's id. ${askAgain}`), mendViews];
      return is("unpublished_unchecked", isStore ? now : noStore, isStore ? steps : [beginStore]);
    }
    default:
      // A build in a place that is no store would begin a new one there, and help no partner (W160, W162).
      return isStore
        ? withProgram(facts, is("unpublished", everything))
        : is("unpublished/none", noStore, [beginStore]);
  }
}

/** The sandbox is published once and stays, so neither a build nor the booking system changes it. */
function inSandbox({ tenantId, store, source }: ProgramFacts): Standing {
  if (store.kind !== "live") {
    const why = store.kind === "damaged" ? "a published file is damaged" : "nothing is published";
    return is(store.kind, `Partners get 500 (internal error) for the sandbox: ${why}.`, remedies.sandbox);
  }
  if (store.served !== null) {
    const now = "Partners see it: a program of the sandbox, which `sandbox init` published once.";
    return is("served_same", now, [nothingToDo]);
  }
  const ask = forSupport("Ask the partner to take ids from the list.", commandTo.list(tenantId));
  if (source.kind === "not_publishable") {
    const now = `Partners do not see it (404): the sandbox has it as ${JSON.stringify(source.state)}, to show that such programs are not published.`;
    return is("missing_unpublishable", now, [ask]);
  }
  const now = `Partners get 404 for this id: the sandbox has no such program.${didYouMean(store.near)}`;
  return is("missing_unknown", now, [ask]);
}

function malformedId({ programId, tenantId, store }: ProgramFacts): Standing {
  const near = store.kind === "live" ? store.near : null;
  const now = `Partners get 400 (invalid request): ${JSON.stringify(programId)} cannot be the id of a program.${didYouMean(near)}`;
  const take =
    "Partners take ids from the list, character by character: 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit.";
  const command = near === null ? commandTo.list(tenantId) : commandTo.explain(tenantId, near);
  return is("malformed_id", now, [forSupport(take, command)]);
}

/** The last run's `--on-invalid` shows what builds of this tenant do with a faulty program (P19). */
function stoppingAt({ lastRun }: ProgramFacts["tenant"]): string {
  return lastRun?.onInvalid === "fail" ? ", and builds of this tenant stop at such a fault" : "";
}

function didYouMean(near: string | null): string {
  return near === null ? "" : ` Did you mean ${near}, which partners see?`;
}

const noStore =
  "There is no store in that place, so nobody can say what partners get. Gateways that had their store there serve what they still hold, of an older snapshot, and answer 500 to everything else; their log says since when.";
const beginStore: Step = forOperations(
  "If partners were served before, check STORE_URL and whether the volume is mounted. A new installation begins with its first build.",
  "store check",
);
const nothingToDo: Step = forSupport(
  "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
  "request explain REQUEST_ID --log FILE",
);
const askAgain =
  "Where the booking system's database could not be reached, ask again from where it can be; otherwise tell operations.";
const mendViews: Step = forOperations(
  "If the database was reached, see which view fails or may not be read, and mend it.",
  "source check",
);
const tenantAdvice =
  "Check the tenant's id. A tenant that should be sold must be in the view partner_source.tenants.";
