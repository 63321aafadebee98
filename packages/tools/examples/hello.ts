/*
 * The example of the README: one command through the tools, as a person.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createSupervisor, openApprovals } from '@clawdfather/supervisor';
import {
  agentBaseEnvironment,
  createAllowlist,
  createGatekeeper,
  createStarterReach,
  createTools,
  ownUserOnly,
  personPolicy,
} from '@clawdfather/tools';

const stateDir = process.argv[2] ?? join(homedir(), '.local', 'state', 'hello-tools');
const [clock, random] = [createSystemClock(), createSystemRandom()];
const supervisor = await createSupervisor({ stateDir });
const store = await openApprovals({ stateDir });
const allowlist = createAllowlist(store);
const policy = personPolicy;
const gatekeeper = createGatekeeper({
  store,
  allowlist,
  reach: createStarterReach({ home: homedir(), ours: [stateDir] }),
  clock,
  random,
  policy,
  requesterMarks: [],
});
const baseEnvironment = agentBaseEnvironment(process.env);
const tools = createTools({
  supervisor,
  gatekeeper,
  clock,
  random,
  log: silentLog,
  users: ownUserOnly,
  baseEnvironment,
});

const { signal } = new AbortController();
const call = { signal, requester: 'hello', account: 'local', sessionId: 'hello' };
const result = await tools.exec({ command: 'echo hello; exit 3', workdir: '/' }, call);
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);

await tools.close();
await store.close();
await supervisor.close();
