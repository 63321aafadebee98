/*
 * The example of the README: one command through the tools, as a person.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  createSystemClock,
  createSystemRandom,
  loginEnvironment,
  silentLog,
} from '@clawdfather/kit';
import { createSupervisor } from '@clawdfather/supervisor';
import { openTools, ownUserOnly, personPolicy } from '@clawdfather/tools';

const stateDir = process.argv[2] ?? join(homedir(), '.local', 'state', 'hello-tools');
const supervisor = await createSupervisor({ stateDir });
const opened = await openTools({
  supervisor,
  stateDir,
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: silentLog,
  policy: personPolicy,
  reach: { home: homedir(), ours: [stateDir] },
  users: ownUserOnly,
  baseEnvironment: loginEnvironment(process.env),
});

const { signal } = new AbortController();
const call = { signal, requester: 'hello', account: 'local', sessionId: 'hello' };
const result = await opened.tools.exec({ command: 'echo hello; exit 3', workdir: '/' }, call);
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);

await opened[Symbol.asyncDispose]();
await supervisor.close();
