/*
 * A socket of a program outside, which says the canary to every program that connects, and the line with which a shell tries to.
 */
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import type { TestContext } from 'node:test';
import { canary } from './shield-site.ts';

/* Resolves with the path. */
export async function listenAt(t: TestContext, path: string): Promise<string> {
  const server = createServer((socket) => socket.end(`${canary}\n`));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => void server.close());
  chmodSync(path, 0o777);
  return path;
}

export function connectLine(path: string): string {
  const code = `import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); print(s.recv(99))`;
  return `python3 -c '${code}' ${path}`;
}
