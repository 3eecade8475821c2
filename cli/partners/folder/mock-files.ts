import type { ObjectBody } from "../../../core/object-store.ts";
import { defaultTerminalStatuses } from "../../../core/settings.ts";
import { renderedProgram } from "../../publish/content/checked-program.ts";
import { ListResponses } from "../../publish/content/list-responses.ts";
import { terminalStatusTest } from "../../publish/public-program/capacity.ts";
import { publicProgram } from "../../publish/public-program/public-program.ts";
import { sandboxPrograms } from "../../publish/sandbox/sandbox-programs.ts";
import { compareIds } from "../../publish/source/contract.ts";
import { packageFile } from "./package-file.ts";

/**
 * W110: a mock of the API, by the paths of its files in the folder. It answers with the programs of the sandbox as a gateway
 * does, byte for byte.
 */
export async function mockFiles(): Promise<ReadonlyMap<string, string>> {
  const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
  const lists = new ListResponses(maxBytes);
  const details: Record<string, unknown> = {};
  for (const source of [...sandboxPrograms].sort((a, b) => compareIds(a.programId, b.programId))) {
    const program = publicProgram(source, rules);
    if (program.kind !== "published") continue;
    const { listItem, legacyItem, detail } = renderedProgram(program, "object");
    lists.add(program.programId, program.listItem.departureDate, listItem, legacyItem);
    details[program.programId] = JSON.parse(detail);
  }
  const { list, legacy } = lists.finish();
  const programs = { list: parsed(list), legacy: parsed(legacy), details };
  return new Map([
    ["mock/mock-api.mjs", await packageFile("docs/mock-api.mjs")],
    ["mock/programs.json", `${JSON.stringify(programs, null, 2)}\n`],
  ]);
}

const maxBytes = 2 ** 20;

function parsed(body: ObjectBody): unknown {
  return JSON.parse(body.bytes.toString());
}
