// A process of the contract suite, over the built store: what it opens and what it does stand as JSON in its
// only argument.
const built = (path) => import(new URL(`../../dist/core/store/${path}.js`, import.meta.url).href);
const { createFileStore } = await built("file-store/file-store");
const { createS3Store } = await built("s3-store/s3-store");
const { bytesBody, readBody } = await built("object-body");

const { opening, task } = JSON.parse(process.argv[2] ?? "");
const store = opening.kind === "file" ? createFileStore(opening) : createS3Store(opening);
const put = (text, options) => store.put(task.key, bytesBody(Buffer.from(text)), options);
const works = {
  put_absent: async () => (await put(task.text, { condition: { kind: "absent" } })).kind,
  increment: incrementMany,
  replace: replaceUntilTold,
  put_and_wait: async () => (await put(task.text)).kind,
};
process.stdout.write(`${await works[task.kind]()}\n`);
if (task.kind === "put_and_wait") await new Promise((resolve) => setTimeout(resolve, 3_600_000));
await store.close();

async function replaceUntilTold() {
  let isOver = false;
  process.stdin.once("end", () => {
    isOver = true;
  });
  process.stdin.resume();
  for (let round = 0; !isOver; round += 1) {
    const letter = String.fromCharCode(97 + (round % 26));
    await put(letter.repeat(1 + ((round * 7919) % 200_000)));
  }
  return "replaced";
}

async function incrementMany() {
  const { key, name, times } = task;
  for (let done = 0; done < times; ) {
    const found = await store.get(key);
    if (found.kind !== "object") throw new Error("the counter is gone");
    const counter = JSON.parse((await readBody(found, 10_000, key)).toString());
    // An unclear answer is settled here: our own count says whether the last put was applied.
    done = counter.byName[name] ?? 0;
    if (done === times) break;
    const next = { total: counter.total + 1, byName: { ...counter.byName, [name]: done + 1 } };
    const condition = { kind: "match", etag: found.etag };
    await put(JSON.stringify(next), { condition }).catch((error) => {
      if (error.code !== "store_unavailable") throw error;
    });
  }
  return "counted";
}
