/*
 * Stops a process and waits until it stands still: a signal is only on its way when `kill` returns, and whoever is inside a
 * system call finishes that first.
 */
import { readdir, readFile } from 'node:fs/promises';

export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  /* The kernel tells only a parent that waits for it, and Node does not; so it is asked, a few times at most. */
  while (!(await isStopped(pid)));
}

async function isStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(
    threads.map(async (thread) => {
      const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      /* The name before it is in brackets and may hold anything. */
      return stat.slice(stat.lastIndexOf(')') + 2)[0];
    }),
  );
  return states.every((state) => state === 'T');
}
