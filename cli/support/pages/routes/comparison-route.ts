import { parseProgramId, parseTenantId } from "../../../../core/ids.ts";
import { detailEntry } from "../../../../core/manifest.ts";
import { dataOf, responseBytes } from "../../../publish/snapshot/stored-response.ts";
import { chosenSnapshot } from "../../../publish/snapshot/stored-snapshot.ts";
import { askGateway } from "../../ask-gateway.ts";
import { readProgramInSource } from "../../explain/program-in-source.ts";
import { takenPlaces } from "../../taken-places.ts";
import { comparisonPage } from "../comparison-page.ts";
import { route } from "../route.ts";

export const comparisonRoute = route({
  pattern: "/tenants/:tenant/programs/:program/compare",
  parse: ({ tenant, program }) => ({
    tenantId: parseTenantId(tenant),
    programId: parseProgramId(program),
  }),
  page: async ({ tenantId, programId }, { store, database, gateway, now, signal }) => {
    const { manifest } = await chosenSnapshot(store, tenantId, undefined, signal);
    const { snapshotId, generatedAt } = manifest;
    const entry = detailEntry(manifest, programId);
    const bytes = entry && (await responseBytes(store, entry, signal));
    const [source, places, answer] = await Promise.all([
      readProgramInSource(store, database, tenantId, programId, signal),
      takenPlaces(database, tenantId, programId, signal),
      askGateway(gateway, { tenantId, programId }, { store, now: now(), signal }),
    ]);
    const document = entry && bytes ? dataOf(bytes, entry.key) : null;
    const live = { snapshotId, generatedAt, document, sha256: entry?.sha256 ?? null };
    return comparisonPage({ tenantId, programId, source, live, gateway: answer, places }, now());
  },
});
