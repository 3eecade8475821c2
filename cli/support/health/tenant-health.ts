import type { Concern } from "../standing/tenant-concerns.ts";
import type { TenantStatus } from "../tenant-status.ts";
import type { HeldBy } from "./held-by.ts";

/** Something about a tenant that somebody should look at: what the status warns of, and what takes more looking. */
export interface HealthFinding {
  readonly kind: Concern["kind"] | "token_expired" | "token_expires" | "shrinking";
  /** `bad`: partners get something wrong, or soon will, unless somebody acts. */
  readonly severity: "bad" | "doubtful";
  /** A sentence. */
  readonly text: string;
  /** A time that does not stand in the sentence; RFC 3339. */
  readonly at: string | null;
  /** The programs that it is about, as the run named them. */
  readonly programs: readonly (string | null)[];
  /** A command for operations, without the program's name in front. */
  readonly command: string | null;
}

export interface TenantHealth {
  readonly tenantId: string;
  /** Worst first; empty when all is well. */
  readonly findings: readonly HealthFinding[];
  /** When the next build is due, by the usual interval; `null` when that is not known. */
  readonly nextDueAt: string | null;
}

/** What is known of a tenant beside its status. */
export interface HealthFacts {
  readonly status: TenantStatus;
  /** The most programs that one of the snapshots right before the live one had; `null` when none was looked at. */
  readonly mostPrograms: { readonly programs: number; readonly generatedAt: string } | null;
  /** Who held the tenant; `null` when it is not held, or that is not recorded. */
  readonly holder: HeldBy | null;
  /** Tokens of the tenant that end soon or ended lately, and that no other has taken the place of. */
  readonly endingTokens: readonly EndingToken[];
}

export interface EndingToken {
  readonly tokenId: string;
  readonly name: string | null;
  readonly expiresAt: string;
}

/** P77: how a tenant stands: what its status warns of (P53), its tokens, and whether its list shrinks. Pure. */
export function tenantHealth(facts: HealthFacts, now: Date): TenantHealth {
  const { status } = facts;
  const { tenantId, lastTry, notInSource, removedAt, usualIntervalMs } = status;
  const findings = [
    ...status.concerns.map((concern) => statusFinding(concern, facts)),
    ...tokenFindings(facts, now),
    ...shrinkingFindings(facts),
  ];
  // Builds pass over a tenant that is removed or not in the source.
  const isBuilt = notInSource === null && removedAt === null;
  const due =
    isBuilt && lastTry && usualIntervalMs !== null ? Date.parse(lastTry.triedAt) + usualIntervalMs : null;
  return {
    tenantId,
    findings: findings.sort((a, b) => rank(a) - rank(b)),
    nextDueAt: due === null ? null : new Date(due).toISOString(),
  };
}

/** Worst first; those alike by name. Pure. */
export function worstFirst(tenants: readonly TenantHealth[]): readonly TenantHealth[] {
  const worst = ({ findings: [first] }: TenantHealth): number =>
    first === undefined ? order.length : rank(first);
  return [...tenants].sort(
    (a, b) =>
      worst(a) - worst(b) || b.findings.length - a.findings.length || (a.tenantId < b.tenantId ? -1 : 1),
  );
}

/** From what partners meet at once to what can wait. */
const order: readonly HealthFinding["kind"][] = [
  "unfinished_removal",
  "damaged",
  "never_published",
  "empty",
  "token_expired",
  "failing",
  "silent",
  "guard",
  "faults",
  "shrinking",
  "left_out",
  "held",
  "interrupted",
  "unseen",
  "token_expires",
  "not_in_source",
  "removed",
];

function rank({ kind, severity }: HealthFinding): number {
  return order.indexOf(kind) - (severity === "bad" ? order.length : 0);
}

function statusFinding({ kind, severity, text }: Concern, facts: HealthFacts): HealthFinding {
  const { status, holder } = facts;
  const { tenantId, live, lastRun, usualIntervalMs, way } = status;
  const said = `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
  switch (kind) {
    case "damaged":
      return finding(kind, severity, said, { command: `snapshot verify --tenant ${tenantId}` });
    case "empty":
      return finding(kind, severity, said, { at: live?.publishedAt ?? null });
    case "silent": {
      const usual = usualIntervalMs === null ? "" : ` Usually one comes every ${spoken(usualIntervalMs)}.`;
      return finding(kind, severity, `${said}${usual}`);
    }
    case "faults":
      return finding(kind, severity, said, {
        programs: way.keeper.kind === "faults" ? way.keeper.programs : [],
      });
    case "held":
      return finding(kind, severity, `${said} ${holderWords(holder)}`, {
        command: `snapshot release --tenant ${tenantId}`,
      });
    case "left_out":
      return finding(kind, severity, said, {
        at: lastRun?.finishedAt ?? null,
        programs: lastRun?.tenantRun?.leftOut ?? [],
      });
    default:
      return finding(kind, severity, said);
  }
}

function holderWords(holder: HeldBy | null): string {
  if (holder === null) return "Who held it is not recorded.";
  const { actor, reason } = holder;
  return `Held by ${actor.user}@${actor.host}${reason === null ? "" : `: ${reason.replace(/\.$/, "")}`}.`;
}

function tokenFindings({ status, endingTokens }: HealthFacts, now: Date): readonly HealthFinding[] {
  return endingTokens.map(({ tokenId, name, expiresAt }) => {
    const which = `${tokenId}${name === null ? "" : ` (${name})`}`;
    const left = Date.parse(expiresAt) - now.getTime();
    if (left <= 0) {
      const text = `Access key ${which} has expired: whoever uses it gets 401. It can't be renewed, only replaced.`;
      const command = `token create --tenant ${status.tenantId}`;
      return finding("token_expired", "bad", text, { at: expiresAt, command });
    }
    const severity = left < soonMs ? "bad" : "doubtful";
    // Not a rotation: the new one would end when this one does.
    const command = `token expire ${tokenId} --at 90d`;
    return finding("token_expires", severity, `Access key ${which} expires soon.`, {
      at: expiresAt,
      command,
    });
  });
}

const soonMs = 2 * 86_400_000;

function shrinkingFindings({ status, mostPrograms }: HealthFacts): readonly HealthFinding[] {
  const { live, removedAt } = status;
  if (removedAt !== null || live === null || live.programs === 0 || mostPrograms === null) return [];
  const lost = mostPrograms.programs - live.programs;
  if (lost < minLost || lost * 5 < mostPrograms.programs) return [];
  const text = `The list shrinks: ${live.programs} programs, ${mostPrograms.programs} lately.`;
  return [finding("shrinking", "doubtful", text, { at: mostPrograms.generatedAt })];
}

/** Fewer come and go every day. */
const minLost = 3;

function finding(
  kind: HealthFinding["kind"],
  severity: HealthFinding["severity"],
  text: string,
  more: Partial<Pick<HealthFinding, "at" | "programs" | "command">> = {},
): HealthFinding {
  return { kind, severity, text, at: null, programs: [], command: null, ...more };
}

/** An interval in one unit, such as `15 minutes`. */
export function spoken(intervalMs: number): string {
  if (Math.round(intervalMs / 60_000) === 60) return "hour";
  const [unit, length] =
    intervalMs >= 2 * 86_400_000
      ? ["day", 86_400_000]
      : intervalMs >= 2 * 3_600_000
        ? ["hour", 3_600_000]
        : intervalMs >= 60_000
          ? ["minute", 60_000]
          : ["second", 1000];
  const count = Math.max(1, Math.round(intervalMs / length));
  return `${count === 1 ? "" : `${count} `}${unit}${count === 1 ? "" : "s"}`;
}
