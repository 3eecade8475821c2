import { buildCommand, explainCommand, forOperations, forSupport, type Step } from "./step.ts";

/** Steps against damage. A build can't help while the tenant is held, or when the source does not list it. */
export function damageSteps(tenantId: string, isHeld: boolean, isListed = true): readonly Step[] {
  const look = "Find out how much is damaged";
  const remedy = isHeld
    ? `${look}. The tenant is held, so no build mends it: make another snapshot live, or end the hold and write every file anew.`
    : `${look}; then write every file anew, or make an earlier snapshot live.`;
  const unlisted = isListed
    ? ""
    : " The booking system does not list the tenant, and builds pass over it: list it in the view partner_source.tenants again before a build.";
  return [
    forSupport("Escalate to operations at once."),
    forOperations(
      `${remedy}${unlisted}`,
      `snapshot verify --tenant ${tenantId}`,
      isHeld && `snapshot release --tenant ${tenantId}`,
      buildCommand(tenantId, "--rewrite"),
      `snapshot rollback --tenant ${tenantId}`,
    ),
  ];
}

/** No build publishes the sandbox. */
export const sandboxSteps: readonly Step[] = [forOperations("Publish the sandbox again.", "sandbox init")];

const guards = {
  shrink: {
    reason: "too many programs or all of them would have disappeared at once",
    question: "Look whether those programs are really gone from the booking system.",
    override: "--allow-shrink",
  },
  field: {
    reason: "most programs would have lost something that partners see of them",
    question: "Look whether those fields are really empty in the booking system.",
    override: "--allow-emptied",
  },
  shared: {
    reason: "partners would have got programs that another company has, too",
    question: "Look whether both companies really offer those programs.",
    override: "--allow-shared",
  },
} as const;

export function guardReason(guard: keyof typeof guards): string {
  return guards[guard].reason;
}

export function guardSteps(tenantId: string, guard: keyof typeof guards): readonly Step[] {
  const { question, override } = guards[guard];
  return [
    forSupport("Tell operations that the last build was refused."),
    forOperations(
      `${question} If not, mend the source and build; if so, build with ${override}.`,
      buildCommand(tenantId),
      buildCommand(tenantId, override),
    ),
  ];
}

/** A tenant's first snapshot is published with programs of another tenant; later builds would refuse them. */
export function sharedSteps(tenantId: string): readonly Step[] {
  const rollback = `snapshot rollback --tenant ${tenantId}`;
  return [
    forSupport("Find out whether both companies really offer those programs."),
    forOperations("If not, take them out of the view, and build, or go back.", "source check", rollback),
  ];
}

export function correctStep(tenantId: string, programs: readonly (string | null)[]): Step {
  const [first] = programs.filter((id) => id !== null);
  return forSupport(
    `Have ${namedPrograms(programs)} corrected in the booking system.`,
    first !== undefined && explainCommand(tenantId, first),
  );
}

export function namedPrograms(programs: readonly (string | null)[]): string {
  if (programs.length === 0) return "faulty programs";
  const shown = programs.slice(0, maxShown).map((id) => (id === null ? "without an id" : JSON.stringify(id)));
  const more = programs.length > maxShown ? ` and ${programs.length - maxShown} more` : "";
  return `${programs.length === 1 ? "program" : "programs"} ${shown.join(", ")}${more}`;
}

const maxShown = 3;

export function startStep(tenantId: string): Step {
  return forOperations("Build now, and see that builds come by themselves.", buildCommand(tenantId));
}

export function silentSteps(tenantId: string): readonly Step[] {
  const start = "Find out what stopped the cron job or `snapshot watch`, start it again, and build.";
  return [forSupport("Tell operations that no build comes."), forOperations(start, buildCommand(tenantId))];
}

export function faultsSteps(tenantId: string, programs: readonly (string | null)[]): readonly Step[] {
  const build = buildCommand(tenantId);
  const without = buildCommand(tenantId, "--on-invalid report");
  return [
    correctStep(tenantId, programs),
    forOperations("Then build; or build without the faulty programs.", build, without),
  ];
}

/** Comes after a step in which support asks whether the hold's reason is gone. */
export function releaseStep(tenantId: string): Step {
  const release = `snapshot release --tenant ${tenantId}`;
  return forOperations("When it is, end the hold and build.", release, buildCommand(tenantId));
}

export function unlistedSteps(tenantId: string, ending = ""): readonly Step[] {
  const list = "If so, list it in the view partner_source.tenants again; if not, remove it";
  return [
    forSupport("Find out whether the tenant should still be sold."),
    forOperations(`${list}${ending}.`, `tenant remove ${tenantId}`),
  ];
}

export function removedSteps(tenantId: string, isListed: boolean): readonly Step[] {
  return [
    forSupport("Find out why it was removed before you promise anything.", `audit list --tenant ${tenantId}`),
    forOperations(
      isListed
        ? "If it should be sold again, build it and issue new access keys."
        : "If it should be sold again, list it in the view partner_source.tenants, build it, and issue new access keys.",
      buildCommand(tenantId),
      `token create --tenant ${tenantId}`,
    ),
  ];
}

export const nothingToDo: Step = forSupport(
  "Nothing is to be done. If the partner sees something else, ask for the X-Request-Id of the answer.",
  "request explain REQUEST_ID --log FILE",
);
export const askAgain =
  "Where the booking system's database could not be reached, ask again from where it can be; otherwise tell operations.";
export const mendViews: Step = forOperations(
  "If the database was reached, see which view fails or may not be read, and mend it.",
  "source check",
);
export const tenantAdvice =
  "Check the tenant's id. A tenant that should be sold must be in the view partner_source.tenants.";
