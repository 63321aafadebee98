/*
 * A server in a process of its own, which says on its first line where it is. Ends with the scope.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
