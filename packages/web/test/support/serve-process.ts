/*
 * `clf serve` as a process: started, heard, killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Served {
  readonly port: number;
  readonly pid: number;
  /* With -9; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ServeOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly command: string;
  readonly flags: readonly string[];
  /* 0: a free one. */
  readonly port: number;
}

/* Of what it wrote before it gave up. */
const stderrCharsMax = 4_000;

export async function startServing({ env, command, flags, port }: ServeOptions): Promise<Served> {
  const listen = ['--listen', `127.0.0.1:${port}`];
  const child = spawn(
    process.execPath,
    [command, 'serve', '--json', '--no-qr', ...listen, ...flags],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-stderrCharsMax);
  });
  const gone = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
    gone.then(() => {
      throw new Error(`the gateway ended before it listened: ${stderr}`);
    }),
  ]);
  const { url, pid } = JSON.parse(line) as { readonly url: string; readonly pid: number };
  return {
    port: Number(new URL(url).port),
    pid,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await gone;
    },
  };
}
