import type { RequestLogLine } from "../../gateway-log/request-line.ts";
import type { ProgramHistory } from "../../snapshot/program-history.ts";
import type { NextStep } from "../explain/next-step.ts";
import type { TokenFinding } from "./token-finding.ts";

/** What is known of one request, from the log and from the store. */
export interface RequestFacts {
  readonly line: RequestLogLine;
  readonly token: TokenFinding;
  /** Of the program that was asked for in vain; `null` when none was, or when nothing could be found out. */
  readonly history: ProgramHistory | null;
}

/** Why a request was answered as it was, for somebody who reads neither code nor specification. */
export interface RealCause {
  readonly summary: string;
  readonly next: NextStep;
}
