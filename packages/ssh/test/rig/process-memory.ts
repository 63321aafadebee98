/*
 * Whether the memory of another process of ours holds some bytes.
 */
import { open, readFile } from 'node:fs/promises';

/* A client has a few megabytes; the limit is for what is mapped and never touched. */
const regionBytesMax = 256 * 1024 * 1024;

export async function findInMemory(pid: number, needles: readonly Buffer[]): Promise<boolean> {
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8');
  const memory = await open(`/proc/${pid}/mem`, 'r');
  try {
    for (const line of maps.split('\n')) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
      if (from === undefined || to === undefined || /\[v(var|vsyscall|syscall)/.test(line))
        continue;
      const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
      if (!Number.isSafeInteger(end) || end - start > regionBytesMax) continue;
      const bytes = Buffer.alloc(end - start);
      const { bytesRead } = await memory
        .read(bytes, 0, bytes.length, start)
        // A region that cannot be read holds no data of the program's own: device memory, the kernel's pages.
        .catch(() => ({ bytesRead: 0 }));
      const found = bytes.subarray(0, bytesRead);
      if (needles.some((needle) => found.includes(needle))) return true;
    }
    return false;
  } finally {
    await memory.close();
  }
}
