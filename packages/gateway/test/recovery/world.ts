/*
 * A real gateway behind a network that breaks, and the sdk's recovery through it.
 */
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import {
  type Client,
  createClient,
  type Recovery,
  type RecoveryEnd,
  type RecoverOptions,
  recoverTurn,
  type TurnToRecover,
} from '@clawdfather/sdk';
import {
  type CuttingProxy,
  fakeAgentCommand,
  openCuttingProxy,
  openGate,
} from '@clawdfather/testkit';
import { createTalk } from '../agents/talk.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import {
  type GatewayProcess,
  type ProcessConfig,
  startGatewayProcess,
} from '../fixtures/start-gateway-process.ts';

const clock = createSystemClock();
const random = createSystemRandom();
/* Attempts follow each other sooner. */
const hasty = {
  ...clock,
  sleep: (ms: number, signal?: AbortSignal) => clock.sleep(Math.min(ms, 100), signal),
};

export interface World {
  readonly t: TestContext;
  readonly directory: string;
  readonly proxy: CuttingProxy;
  /* Through the proxy. */
  readonly client: Client;
  /* Past it. */
  readonly talk: ReturnType<typeof createTalk>;
  readonly gateway: () => GatewayProcess;
  readonly gate: (name: string) => ReturnType<typeof openGate>;
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  /* Asks after a turn until it is over for the client. */
  readonly recover: (
    turnId: string,
    more?: Partial<TurnToRecover> &
      Pick<RecoverOptions, 'onState'> & { readonly clock?: Partial<Clock> },
  ) => Promise<RecoveryEnd>;
}

export async function inWorld(
  t: TestContext,
  agents: ProcessConfig['agents'],
  work: (world: World) => Promise<void>,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-codes-'));
  const gates = join(directory, 'gates');
  mkdirSync(gates);
  const named = [{ name: 'echo', command: fakeAgentCommand({ gates }) }];
  const config = { agents: { ...agents, named } };
  const start = (): Promise<GatewayProcess> => startGatewayProcess(directory, config);
  let gateway = await start();
  const { token } = gateway;
  await using proxy = await openCuttingProxy(gateway.url);
  const client = createClient({ baseUrl: proxy.url, token });
  const talk = createTalk(() => gateway.me);
  try {
    await talk.begin();
    await work({
      t,
      directory,
      proxy,
      client,
      talk,
      gateway: () => gateway,
      gate: (name) => openGate(gates, name),
      kill: () => gateway.end('SIGKILL'),
      start: async () => {
        gateway = await start();
        proxy.target(gateway.url);
      },
      recover: (turnId, { clock: ownClock, onState = () => {}, ...more } = {}) =>
        recoverTurn(
          { client, turnId, ...more },
          { clock: { ...hasty, ...ownClock }, random, onState },
        ),
    });
  } finally {
    await gateway.end('SIGTERM');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
}

/* How a recovery stands, to be waited for. */
export function watchStates() {
  let state: Recovery['kind'] = 'running';
  let wake = (): void => {};
  return {
    now: () => state,
    onState: ({ kind }: Recovery): void => {
      state = kind;
      wake();
    },
    until: async (wanted: Recovery['kind']): Promise<void> => {
      while (state !== wanted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
