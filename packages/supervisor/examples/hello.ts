/*
 * Starts a command, reads what it says, and waits for its end. Kill this program halfway: the command goes on, and the
 * next supervisor on the same directory adopts it.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSupervisor } from '@clawdfather/supervisor';

const stateDir = process.argv[2] ?? join(homedir(), '.local', 'state', 'hello-supervisor');
const supervisor = await createSupervisor({ stateDir });
const run = await supervisor.spawn({
  mode: 'child',
  argv: ['sh', '-c', 'echo hello; sleep 0.1; echo goodbye; exit 3'],
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  sessionId: 'example',
  backendId: 'shell',
  overallTimeoutMs: 10_000,
});
for await (const event of run.output()) {
  if (event.kind === 'output') process.stdout.write(event.bytes);
}
const { reason, code } = await run.wait();
process.stdout.write(`${reason} ${code}\n`);
await supervisor.close();
