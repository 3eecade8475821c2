import { deskTenant } from "./support-desk.ts";
import { built, type Cause, day, program, type World, where } from "./worlds.ts";

// What can go wrong in the booking system, and in builds of what it holds.

const update =
  (set: string) =>
  async ({ desk }: World) =>
    await desk.source.query(`UPDATE partner_source.programs SET ${set} ${where}`);

export const sourceCauses: readonly Cause[] = [
  {
    name: "another name",
    slots: ["name"],
    phase: "source",
    plant: update("name = 'Shrines of Kyoto'"),
    said: /older version.*Name/,
  },
  { name: "no name", slots: ["name"], phase: "source", plant: update("name = ' '"), said: /has no name/ },
  {
    name: "cancelled",
    slots: ["state"],
    phase: "source",
    plant: update("lifecycle_state = 'cancelled'"),
    said: /the source says "cancelled"/,
  },
  {
    name: "ended by its dates",
    slots: ["state", "dates"],
    phase: "source",
    plant: update("lifecycle_state = 'ended', departure_date = '2026-11-01', return_date = '2026-11-05'"),
    said: /the source says "ended"/,
  },
  {
    name: "an unknown state",
    slots: ["state"],
    phase: "source",
    plant: update("lifecycle_state = 'on sale'"),
    said: /state "on sale" is not one of/,
  },
  {
    name: "deleted",
    slots: ["name", "state", "dates", "row", "capacity", "photo"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(`DELETE FROM partner_source.programs ${where}`);
    },
    said: /no longer has it/,
  },
  {
    name: "two rows",
    slots: ["row"],
    phase: "source",
    async plant({ desk }) {
      await desk.source.query(
        `INSERT INTO partner_source.programs SELECT * FROM partner_source.programs ${where}`,
      );
    },
    said: /Several programs in the booking system have this id/,
  },
  {
    name: "no capacity",
    slots: ["capacity"],
    phase: "source",
    plant: update("capacity_total = NULL"),
    said: /No capacity in the booking system/,
  },
  {
    name: "a photo without https",
    slots: ["photo"],
    phase: "source",
    plant: update("cover_url = 'http://img.example/kyoto.jpg'"),
    said: /only absolute https URLs/,
  },
];

export const buildCauses: readonly Cause[] = [
  {
    name: "a view that fails",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      await world.desk.source.query("ALTER TABLE partner_source.faq RENAME TO gone");
      await built(world, day(11));
      world.undo = "ALTER TABLE partner_source.gone RENAME TO faq";
    },
    concerns: ["failing"],
    said: /builds fail|Builds fail/,
  },
  {
    name: "a build that was stopped",
    slots: ["build"],
    phase: "build",
    async plant({ desk }) {
      await desk.build({ now: day(11), signal: AbortSignal.abort() });
    },
    concerns: ["interrupted"],
  },
  {
    name: "a build that was refused",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      const { source } = world.desk;
      await source.query(`
        CREATE TABLE public.kept AS SELECT * FROM partner_source.programs WHERE program_id <> '${program}';
        DELETE FROM partner_source.programs WHERE program_id <> '${program}'`);
      await built(world, day(11));
      await source.query(
        "INSERT INTO partner_source.programs SELECT * FROM public.kept; DROP TABLE public.kept",
      );
    },
    concerns: ["guard"],
    said: /was refused/,
  },
  {
    name: "a fault of another program that stops builds",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      world.onInvalid = "fail";
      await world.desk.source.query(
        "UPDATE partner_source.programs SET name = '' WHERE program_id = 'OTHER-1'",
      );
      await built(world, day(11));
    },
    concerns: ["faults"],
    said: /stopped at program "OTHER-1"|builds of this tenant stop/,
  },
  {
    name: "another program left out",
    slots: ["build"],
    phase: "build",
    async plant(world) {
      await world.desk.source.query(
        "UPDATE partner_source.programs SET name = '' WHERE program_id = 'OTHER-1'",
      );
      await built(world, day(11));
    },
    concerns: ["left_out"],
  },
  {
    name: "a hold",
    slots: ["hold", "build"],
    phase: "build",
    async plant(world) {
      const rename = (name: string) =>
        world.desk.source.query("UPDATE partner_source.programs SET name = $1 WHERE program_id = 'OTHER-0'", [
          name,
        ]);
      await rename("Wrong");
      await built(world, day(10, 30));
      await rename("Tour OTHER-0");
      const args = ["snapshot", "rollback", "--tenant", deskTenant, "--reason", "wrong prices"];
      await world.desk.run(args, { now: day(10, 40) });
    },
    concerns: ["held"],
    said: /held since .* by ada@desk: wrong prices/,
  },
  {
    name: "no build for days",
    slots: ["time"],
    phase: "log",
    async plant(world) {
      world.now = new Date("2026-11-24T12:00:00.000Z");
    },
    concerns: ["silent"],
    said: /no build has ended since/i,
  },
];
