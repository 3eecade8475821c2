import { damageLiveManifest } from "./standing-plants.ts";
import { deskTenant } from "./support-desk.ts";
import { answer, built, type Cause, damageBody, day, issue } from "./worlds.ts";

// What can go wrong behind a build: in the store, with access keys, and as the gateways' log tells it.

const presentTenant = "sakura-tours";

export const storeCauses: readonly Cause[] = [
  {
    name: "a damaged manifest",
    slots: ["store"],
    phase: "store",
    plant: ({ desk }) => damageLiveManifest(desk),
    concerns: ["damaged"],
    said: /a published file is damaged/,
    hides: "program",
  },
  {
    name: "a damaged body",
    slots: ["store"],
    phase: "store",
    plant: damageBody,
    said: /a published file is damaged/,
    hides: "program",
  },
  {
    name: "a tenant that is not listed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "time"],
    phase: "source",
    async plant(world) {
      // A source without any tenant fails a run.
      await world.desk.source.query(`
        UPDATE partner_source.tenants SET tenant_id = 'alpine' WHERE tenant_id = '${deskTenant}';
        INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
          VALUES ('alpine', 'EIGER', 'Eiger', 'active', 10)`);
      await built(world, day(11, 40));
    },
    concerns: ["not_in_source"],
    said: /no longer lists tenant/,
    hides: "program",
  },
  {
    name: "a tenant that was removed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "key", "store"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
      await desk.run(["tenant", "remove", deskTenant], { now: day(11, 40) });
    },
    concerns: ["removed"],
    said: /was removed on/,
    hides: "both",
  },
  {
    name: "a tenant that was renamed",
    slots: ["tenant", "name", "state", "dates", "row", "capacity", "photo", "build", "store", "time", "key"],
    phase: "source",
    async plant(world) {
      const { source, run } = world.desk;
      await source.query(`
        INSERT INTO partner_source.tenants VALUES ('${presentTenant}', 'Sakura Tours');
        CREATE TABLE public.copy AS SELECT * FROM partner_source.programs;
        UPDATE public.copy SET tenant_id = '${presentTenant}';
        INSERT INTO partner_source.programs SELECT * FROM public.copy; DROP TABLE public.copy`);
      await world.desk.build({ now: day(11, 10), args: ["--allow-shared"] });
      await run(["tenant", "rename", deskTenant, presentTenant], { now: day(11, 20) });
    },
  },
];

export const keyCauses: readonly Cause[] = [
  {
    name: "a key that ends soon",
    slots: ["key"],
    phase: "key",
    plant: (world) => issue(world, "--expires", "2026-11-27T00:00:00Z"),
    concerns: ["token_expires"],
  },
  {
    name: "a key that has ended",
    slots: ["key"],
    phase: "key",
    plant: (world) => issue(world, "--expires", day(9).toISOString()),
    concerns: ["token_expired"],
  },
];

export const logCauses: readonly Cause[] = [
  {
    name: "answers of 500",
    slots: ["log 500"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 500, causeCode: "store_unavailable", cause: "It is away." }));
    },
    concerns: ["answers_failed"],
  },
  {
    name: "answers of 429",
    slots: ["log 429"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 429, causeCode: "quota_exceeded", cause: "quota exceeded" }));
    },
    concerns: ["answers_limited"],
  },
  {
    name: "answers of 401",
    slots: ["log 401"],
    phase: "log",
    async plant(world) {
      world.log.push(answer(world, { status: 401, causeCode: "revoked_token", cause: "revoked token" }));
    },
    concerns: ["answers_refused"],
  },
];
