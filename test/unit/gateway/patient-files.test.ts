import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { patientFiles } from "../../../gateway/last-good/patient-files.ts";

const bytes = Buffer.from("kept");

/** Files of a disk that hangs until it is let go. */
function hangingFiles() {
  const begun: string[] = [];
  const streams: Readable[] = [];
  let letGo = (): void => {};
  let hanging: Promise<void> | undefined;
  const files = patientFiles(
    {
      async read(sha256) {
        begun.push(sha256);
        await hanging;
        return bytes;
      },
      async stream(sha256) {
        begun.push(sha256);
        await hanging;
        const stream = Readable.from([bytes]);
        streams.push(stream);
        return stream;
      },
      doubt() {},
    },
    200,
  );
  return {
    files,
    begun,
    streams,
    hang(): void {
      hanging = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    letGo: () => {
      hanging = undefined;
      letGo();
    },
  };
}

test("W85: of a disk that hangs one reading is begun, whoever asks, and later ones do not wait", async () => {
  const { files, begun, hang, letGo } = hangingFiles();
  expect(await files.read("before")).toBe(bytes);
  hang();
  const asked = ["a", "b", "c", "d", "e"].map((name) => files.read(name));
  expect(await Promise.all(asked)).toEqual(Array(5).fill(undefined));
  const inThisTurn = Promise.all([files.read("f"), files.stream("g")]);
  expect(await Promise.race([inThisTurn, setImmediate("later")])).toEqual([undefined, undefined]);
  expect(begun).toEqual(["before", "a"]);
  letGo();
  await expect.poll(() => files.read("after")).toBe(bytes);
});

test("W76: who asks together for a large file that nobody has read yet waits for one reading of it", async () => {
  let reading = 0;
  let most = 0;
  const files = patientFiles(
    {
      async read() {
        reading += 1;
        most = Math.max(most, reading);
        await setImmediate();
        reading -= 1;
        return bytes;
      },
      stream: async () => undefined,
      doubt() {},
    },
    60_000,
  );
  const found = await Promise.all(Array.from({ length: 100 }, () => files.read("a")));
  expect([found.filter((each) => each === bytes).length, most]).toEqual([100, 1]);
});

test("W85: a file that was opened too late is closed", async () => {
  const { files, streams, hang, letGo } = hangingFiles();
  hang();
  expect(await files.stream("a")).toBe(undefined);
  letGo();
  await expect.poll(() => streams.map(({ destroyed }) => destroyed)).toEqual([true]);
});

test("W85: a disk that fails has nothing", async () => {
  const broken = async (): Promise<never> => {
    throw new Error("EIO");
  };
  const files = patientFiles({ read: broken, stream: broken, doubt() {} });
  expect([await files.read("a"), await files.stream("b")]).toEqual([undefined, undefined]);
});
