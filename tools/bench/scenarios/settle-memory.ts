/*
 * The same memory for everybody before a flood: nothing dirty, and pages that are really there.
 *
 * What is dirty is written to the disk, so that nobody pays for somebody else's journal. Then as much memory as the
 * flood will fill is touched once and given back: many virtual machines return free pages to their host, and the first
 * touch afterwards costs five times the write itself (plain dd: 0.4 GB/s, then 2.1). A pipe never meets that, a
 * file in the page cache always does, and it says nothing about either of them.
 */
import { spawnSync } from 'node:child_process';
import { freemem } from 'node:os';

const chunkBytes = 64 * 1024 ** 2;
/* A segment or two more than the flood. */
const headroom = 1.25;

export function settleMemory(dir: string, bytes: number): void {
  spawnSync('sync', ['-f', dir]);
  const chunks = Math.floor(Math.min(bytes * headroom, freemem() / 2) / chunkBytes);
  const program = `const held = []; for (let i = 0; i < ${chunks}; i += 1) held.push(Buffer.alloc(${chunkBytes}, 1));`;
  spawnSync(process.execPath, ['-e', program]);
}
