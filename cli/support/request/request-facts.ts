import type { RequestLogLine } from "../../operate/gateway-log/request-line.ts";
import type { MissedProgram } from "../../operate/snapshots/missed-program.ts";
import type { ProgramHistory } from "../../operate/snapshots/program-history.ts";
import type { Explanation } from "../explain/explain-program.ts";
import type { NextStep } from "../next-step.ts";
import type { TokenFinding } from "./token-finding.ts";

/** What is known of one request, from the log and from the store. */
export interface RequestFacts {
  readonly line: RequestLogLine;
  /** When it is asked: what is to be done next is of now, whenever the request was. */
  readonly now: Date;
  readonly token: TokenFinding;
  /** Whether the store has any access key; `unknown` where the list of them cannot be read. */
  readonly keys: "some" | "none" | "unknown";
  /** When the access key's tenant was removed, RFC 3339; `null` while it is not, or when that is not known. */
  readonly removedAt: string | null;
  /** Of the program that was asked for in vain; `null` when none was, or when nothing could be found out. */
  readonly miss: Miss | null;
}

/** A program that was asked for in vain: why it was not there then, and how it stands now. */
export interface Miss {
  readonly missed: MissedProgram;
  readonly history: ProgramHistory;
  readonly now: Explanation;
}

/** Why a request was answered as it was, for somebody who reads neither code nor specification. */
export interface RealCause {
  readonly summary: string;
  readonly next: NextStep;
}
