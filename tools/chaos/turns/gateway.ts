/*
 * The gateway of a campaign of turns: a real store, a real supervisor, the threads between them, and a person who talks. It has no server,
 * which a turn does not need, and no exit handler: it is killed.
 *
 * `gateway SETTINGS`. Loads its code, says `loaded`, waits for a line, opens, says `ready`, and works until it is killed. The last one says
 * `finished` when all turns have ended and all agents are gone.
 */
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { agentVariables } from '@clawdfather/agents';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openStore, parseAccountId } from '@clawdfather/store';
import { createSupervisor, type Supervisor } from '@clawdfather/supervisor';
import { fakeAgentCommand } from '@clawdfather/testkit';
import {
  type AgentStarter,
  createEventDesk,
  createThreads,
  silentThreadsObserver,
  usualQueueLimits,
} from '@clawdfather/threads';
import { keepTalking } from './person.ts';
import { placesIn, type TurnsMessage, type TurnsSettings } from './settings.ts';

const clock = createSystemClock();
const random = createSystemRandom();
const agentMsMax = 3_600_000;
/* A campaign is about turns that are killed, so none is refused, and none waits for long. */
const lane = { activeMax: 20, waitingMax: 1_000, waitMsMax: agentMsMax };

function tell(message: TurnsMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function createStarter(supervisor: Supervisor, { dir }: TurnsSettings): AgentStarter {
  const { traces, effects } = placesIn(dir);
  return {
    plan: async (_accountId, { id }) => ({
      setup: { clientVersion: '0', mcpServers: [] },
      commandHash: 'echo',
      program: { root: dirname(process.execPath), path: process.execPath },
      sessionId: undefined,
      start: ({ runId, leaseId, commandHash }) =>
        supervisor.spawn({
          mode: 'child',
          runId,
          leaseId,
          argv: fakeAgentCommand({ trace: join(traces, id), effects: join(effects, id) }),
          cwd: dir,
          env: { [agentVariables.commandHash]: commandHash },
          sessionId: 'chaos',
          backendId: 'agent',
          overallTimeoutMs: agentMsMax,
          leftovers: 'end',
          journal: { mode: 'hold', bytesMax: 16 * 1024 * 1024 },
        }),
    }),
  };
}

async function main(): Promise<void> {
  const settings = JSON.parse(process.argv[2] ?? '') as TurnsSettings;
  const { dir, isLast, choice } = settings;
  const accountId = parseAccountId(settings.accountId);
  const { stateDir, database } = placesIn(dir);
  tell({ type: 'loaded' });
  await once(process.stdin, 'data');
  process.stdin.unref();
  const deps = { clock, random, log: silentLog };
  const store = await openStore({ kind: 'sqlite', path: database }, deps);
  const supervisor = await createSupervisor({ stateDir, adoption: 'adopt' });
  const desk = createEventDesk();
  const threads = createThreads({
    ...deps,
    recordsOf: (id) => store.forAccount(id).threads,
    due: store.system.threads,
    queue: store.system.queue,
    desk,
    observer: silentThreadsObserver,
    supervisor,
    lookAfter: () => void supervisor.reconcile().catch(() => undefined),
    starter: createStarter(supervisor, settings),
    limits: { ...usualQueueLimits, agent: lane, account: lane, gateway: lane },
    availableBytes: async () => undefined,
    onPoint: () => tell({ type: 'point' }),
  });
  await threads.takeUp();
  tell({ type: 'ready' });
  const { threads: records } = store.forAccount(accountId);
  const person = { accountId, records, threads, desk, clock, directory: dir, choice, isLast };
  await keepTalking(person);
  await threads.close();
  await supervisor.close();
  await store.close();
  tell({ type: 'finished' });
}

main().catch((error: unknown) => {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell({ type: 'failed', error: what });
  process.exitCode = 1;
});
