/*
 * A server in a process of its own, which says on its first line where it is. Ends with the scope.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly said: Readonly<Record<string, string>>;
}

export async function startServer(file: string, args: readonly string[]): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@clawdfather/source', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const said = await Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(String(line))),
    exited.then(([code]) => {
      throw new Error(`${file} ended with ${code} before it said where it is`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    said,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/* The kernel counts in hundredths of a second, whatever its own tick is. */
const tickUs = 10_000;

/* Processor time that a process has used so far. */
export function cpuUsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickUs;
}
