import { counted } from "../../output/words.ts";
import { clause, type Step } from "./steps.ts";

/**
 * `bad`: somebody must act today: partners get errors, or unrenewed data. `doubtful`: it may be meant so.
 */
type Severity = "bad" | "doubtful";

export interface Concern {
  readonly kind: ConcernKind;
  readonly severity: Severity;
  /** The tenant in question; `null` when all tenants are concerned. */
  readonly tenantId: string | null;
  /** One sentence, for people, without a full stop. */
  readonly text: string;
  /** Since when, or when it was found (RFC 3339). `null` when the sentence says it, or nobody knows. */
  readonly at: string | null;
  /** The programs that the concern is about, each once; `null` for one without an id. */
  readonly programs: readonly (string | null)[];
  /** A request of the log that shows the concern; `null` when it is not known from requests. */
  readonly requestId: string | null;
  readonly steps: readonly Step[];
}

/** P53: all kinds in every command's and page's order, the worst first, with severity and short name. */
export const concernKinds = {
  answers_old: { severity: "bad", title: "older data" },
  unfinished_removal: { severity: "bad", title: "removal not ended" },
  damaged: { severity: "bad", title: "damaged" },
  never_published: { severity: "bad", title: "never published" },
  answers_failed: { severity: "bad", title: "500" },
  empty: { severity: "doubtful", title: "empty list" },
  token_expired: { severity: "bad", title: "key expired" },
  answers_refused: { severity: "doubtful", title: "401" },
  failing: { severity: "bad", title: "builds fail" },
  silent: { severity: "bad", title: "no builds" },
  guard: { severity: "bad", title: "refused" },
  faults: { severity: "bad", title: "faulty programs" },
  mostly_withdrawn: { severity: "bad", title: "most withdrawn" },
  overdue: { severity: "bad", title: "overdue" },
  answers_limited: { severity: "doubtful", title: "429" },
  snapshot_differs: { severity: "bad", title: "differed" },
  programs_shared: { severity: "doubtful", title: "programs shared" },
  left_out: { severity: "doubtful", title: "left out" },
  held: { severity: "doubtful", title: "held" },
  interrupted: { severity: "doubtful", title: "stopped" },
  unseen: { severity: "doubtful", title: "no builds on record" },
  token_expires: { severity: "doubtful", title: "key expires" },
  not_in_source: { severity: "doubtful", title: "not in the source" },
  removed: { severity: "doubtful", title: "removed" },
} as const;

export type ConcernKind = keyof typeof concernKinds;

export type ConcernMore = Partial<Pick<Concern, "severity" | "at" | "programs" | "requestId">>;

export function concern(
  kind: ConcernKind,
  tenantId: string | null,
  text: string,
  steps: readonly Step[] = [],
  more: ConcernMore = {},
): Concern {
  const { severity } = concernKinds[kind];
  return { kind, severity, tenantId, text, at: null, programs: [], requestId: null, steps, ...more };
}

/** Puts bad concerns first. Concerns of one severity are in the order of the kinds above. */
export function worstFirst(concerns: readonly Concern[]): readonly Concern[] {
  return [...concerns].sort((a, b) => rank(a) - rank(b));
}

const order = Object.keys(concernKinds);

function rank({ kind, severity }: Concern): number {
  return order.indexOf(kind) + (severity === "bad" ? 0 : order.length);
}

/** A tenant with its concerns, the worst first. */
interface Subject {
  readonly tenantId: string;
  readonly concerns: readonly Concern[];
}

/** The same concern of at least one tenant, said once. */
export interface SharedConcern {
  readonly concern: Concern;
  readonly tenantIds: readonly string[];
}

/** Concerns of the same words stand together, where the first of them stood. */
export function sharedConcerns(subjects: readonly Subject[]): readonly SharedConcern[] {
  const groups = new Map<string, { readonly concern: Concern; readonly tenantIds: string[] }>();
  for (const { tenantId, concerns } of subjects) {
    for (const concern of concerns) {
      const { kind, severity, text, programs } = concern;
      const cause = JSON.stringify([kind, severity, text, programs]);
      const group = groups.get(cause) ?? { concern, tenantIds: [] };
      groups.set(cause, group);
      group.tenantIds.push(tenantId);
    }
  }
  return [...groups.values()];
}

/** The tenants of a shared concern, as long as a line has room: `7 tenants (a, b, c and 4 more)`. */
export function namedTenants(tenantIds: readonly string[]): string {
  if (tenantIds.length === 1) return tenantIds.join();
  const shown = tenantIds.slice(0, 3);
  const rest = tenantIds.length - shown.length;
  return `${tenantIds.length} tenants (${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""})`;
}

/** By the worst concern, then by the number of concerns, then by name. */
export function worstSubjectFirst<Known extends Subject>(subjects: readonly Known[]): readonly Known[] {
  const worst = ({ concerns: [first] }: Subject) =>
    first === undefined ? Number.MAX_SAFE_INTEGER : rank(first);
  const order = (a: Subject, b: Subject): number =>
    worst(a) - worst(b) || b.concerns.length - a.concerns.length || (a.tenantId < b.tenantId ? -1 : 1);
  return [...subjects].sort(order);
}

export function tally(subjects: readonly Pick<Subject, "concerns">[]) {
  const of = (severity: Severity): number =>
    subjects.filter(({ concerns: [first] }) => first?.severity === severity).length;
  const [bad, doubtful] = [of("bad"), of("doubtful")];
  return { bad, doubtful, well: subjects.length - bad - doubtful };
}

export function tallyWords(subjects: readonly Pick<Subject, "concerns">[]): string {
  const { bad, doubtful, well } = tally(subjects);
  return `${counted(subjects.length, "tenant")}: ${bad} in trouble, ${doubtful} to look at, ${well} well.`;
}

export function concernSentence({ text }: Concern): string {
  return `${text.charAt(0).toUpperCase()}${clause(text.slice(1))}.`;
}
