import type { Problem } from "../../../schemas/generated/types.ts";
import { type Conclusion, type ProgramFacts, wasServed } from "./conclusion.ts";

/** What to do, and the commands for it (without the program's name in front). */
export interface NextStep {
  readonly text: string;
  readonly commands: readonly string[];
}

/** What whoever asked should do next. Pure. */
export function nextStep(facts: ProgramFacts, { verdict }: Conclusion): NextStep {
  const { tenantId, source } = facts;
  const tenant = `--tenant ${tenantId}`;
  switch (verdict) {
    case "served":
      return source.kind === "publishable" && source.dropped.length > 0
        ? step(
            "Should a value named above be published? Correct it in the booking system and build.",
            ...buildCommands(facts),
          )
        : step(
            "Nothing. If the partner sees something else, ask for the X-Request-Id of the answer.",
            "request explain REQUEST_ID --log FILE",
          );
    case "served_unlisted":
      return step(
        "If the tenant should still be sold, list it in partner_source.tenants again; if not, revoke its tokens.",
        `token list ${tenant}`,
      );
    case "served_outdated":
    case "served_leaving":
    case "waiting":
    case "unpublished_tenant":
      return waitingForBuild(facts);
    case "served_invalid":
    case "invalid":
      return step(
        `Correct ${source.kind === "invalid" ? fields(source.problems) : "it"} in the booking system and build; until then builds leave it out.`,
        ...buildCommands(facts),
      );
    case "not_publishable":
      return step(
        "If it should be sold, set it to active in the booking system and build.",
        ...buildCommands(facts),
      );
    case "unknown_program":
      return unknownProgram(facts);
    case "unknown_tenant":
      return step(
        "Check the tenant's id; a tenant that should be sold must be in the view partner_source.tenants.",
        "source check",
      );
    case "served_unchecked":
    case "unserved_unchecked":
      return step(
        "Ask again from where the booking database can be reached; the store tells no more than this.",
      );
    case "damaged_store":
      return step(
        "Find out how much is damaged; then write every file anew, or make an earlier snapshot live.",
        `snapshot verify ${tenant}`,
        `snapshot build ${tenant} --rewrite`,
        `snapshot rollback ${tenant}`,
      );
    case "malformed_id":
      return step(
        "Partners take ids from the list. An id is 1 to 128 of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit.",
        `snapshot show ${tenant} --list`,
      );
  }
}

/** A build would mend it: what keeps the build from doing so? */
function waitingForBuild(facts: ProgramFacts): NextStep {
  const { store, lastRun } = facts;
  const commands = buildCommands(facts);
  if (store.kind === "live" && store.hold !== null) {
    return step(
      `The tenant is held (${store.hold.reason}), so builds pass it over. When the reason is gone, end the hold and build.`,
      ...commands,
    );
  }
  const failed = lastRun?.outcome === "failed" || lastRun?.outcome === "refused";
  if (failed && lastRun.failure !== null) {
    return step(`The last run ${lastRun.outcome}: ${lastRun.failure.message} Then build again.`, ...commands);
  }
  return step("Build now, or wait for the next scheduled build.", ...commands);
}

function unknownProgram(facts: ProgramFacts): NextStep {
  const { tenantId, programId, source } = facts;
  const elsewhere = source.kind === "absent" ? source.elsewhere : [];
  const spelled = elsewhere.find((found) => found.tenantId === tenantId);
  if (spelled !== undefined) {
    return step(
      `The source spells it ${JSON.stringify(spelled.programId)}; ids are compared exactly.`,
      `snapshot explain --tenant ${tenantId} --program ${shellWord(spelled.programId)}`,
    );
  }
  const owner = elsewhere.find((found) => found.programId === programId) ?? elsewhere[0];
  if (owner !== undefined) {
    return step(
      `The source has it under tenant ${owner.tenantId}; a token reads the programs of its own tenant only.`,
      `snapshot explain --tenant ${shellWord(owner.tenantId)} --program ${shellWord(owner.programId)}`,
    );
  }
  if (wasServed(facts)) {
    return step(
      "If it should still be sold, restore it in the booking system and build.",
      ...buildCommands(facts),
    );
  }
  return step(
    "Check the id: partners take it from the list, and it may differ from the number in the booking system.",
    `snapshot show --tenant ${tenantId} --list`,
  );
}

/** A build, after the end of a hold if there is one. */
function buildCommands({ tenantId, store }: ProgramFacts): readonly string[] {
  const isHeld = store.kind === "live" && store.hold !== null;
  const release = isHeld ? [`snapshot release --tenant ${tenantId}`] : [];
  return [...release, `snapshot build --tenant ${tenantId}`];
}

function step(text: string, ...commands: readonly string[]): NextStep {
  return { text, commands };
}

function fields(problems: readonly Problem[]): string {
  return [...new Set(problems.map(({ field }) => field ?? "the program"))].join(", ");
}

/** Quoted for a POSIX shell where it needs to be. */
function shellWord(text: string): string {
  return /^[A-Za-z0-9._~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
