// Puts an object into the store of the environment and prints the outcome.
import { bytesBody } from "../../core/object-body.ts";
import { checkedKey } from "../../core/object-key.ts";
import { createS3Store } from "../../core/s3-store/s3-store.ts";

const store = createS3Store({ bucket: "programs", prefix: "", forcePathStyle: true, timeoutMs: 20_000 });
const { kind } = await store.put(checkedKey("a.json"), bytesBody(Buffer.from("{}")));
console.log(kind);
await store.close();
