/*
 * Main's side of a gateway: start it, hear it, kill it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { GatewayMessage, GatewaySettings } from '../gateway/settings.ts';

export interface GatewayProcess {
  readonly pid: number;
  /* Settles also when it ends before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
  /* As the kernel's out-of-memory killer would. */
  kill(): Promise<void>;
}

export interface GatewayNews {
  readonly onFailed: (failure: { readonly runId: string; readonly error: string }) => void;
}

const gatewayPath = fileURLToPath(new URL('../gateway.ts', import.meta.url));
const stderrCharsMax = 20_000;

export function startGateway(settings: GatewaySettings, news: GatewayNews): GatewayProcess {
  const child = spawn(
    process.execPath,
    ['--conditions=@clawdfather/source', gatewayPath, JSON.stringify(settings)],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as GatewayMessage;
    if (message.type === 'ready') ready.resolve();
    if (message.type === 'failed') news.onFailed(message);
  });
  const ended = endOf(child);
  void ended.then(() => ready.resolve());
  return {
    pid: child.pid ?? 0,
    ready: ready.promise,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function endOf(child: ChildProcess): GatewayProcess['ended'] {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-stderrCharsMax);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stderr }));
  });
}
