import type { FileHandle } from "node:fs/promises";

/**
 * Hands over the first `size` bytes of a file in chunks that all lie in one buffer: the next is read when `take` has
 * resolved. Closes the file. Throws when there are fewer bytes, and what `take` throws.
 */
export async function readThrough(
  handle: FileHandle,
  size: number,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, chunkBytes));
  try {
    for (let at = 0; at < size; ) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) throw new Error("the file was cut while it was being read");
      await take(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

const chunkBytes = 128 * 1024;
