/*
 * Every code of docs/recovery.md, each produced by the scenario that it is for: through the sdk, against a real gateway, behind a network that
 * breaks. The table below is the one of the page; `npm test` compares their codes.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import {
  type Client,
  createClient,
  RefusedError,
  type RecoveryEnd,
  recoverTurn,
  type TurnToRecover,
} from '@clawdfather/sdk';
import { fakeAgentCommand, openGate, openSshd, sshdSkip } from '@clawdfather/testkit';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import {
  type GatewayProcess,
  type ProcessConfig,
  startGatewayProcess,
} from '../fixtures/start-gateway-process.ts';
import { addHost } from '../hosts/host-world.ts';
import { type CuttingProxy, openCuttingProxy } from '../socket/cutting-proxy.ts';
import { openDoor } from './open-door.ts';

const clock = createSystemClock();
const random = createSystemRandom();
/* Attempts follow each other sooner. */
const hasty = {
  ...clock,
  sleep: (ms: number, signal?: AbortSignal) => clock.sleep(Math.min(ms, 100), signal),
};

interface World {
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
    more?: Partial<TurnToRecover> & { readonly aheadMs?: number },
  ) => Promise<RecoveryEnd>;
}

async function inWorld(
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
      recover: (turnId, { aheadMs = 0, ...more } = {}) =>
        recoverTurn(
          { client, turnId, ...more },
          { clock: { ...hasty, wallMs: () => clock.wallMs() + aheadMs }, random },
        ),
    });
  } finally {
    await gateway.end('SIGTERM');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
}

function told(end: RecoveryEnd): readonly unknown[] {
  return end.kind === 'recovered' ? [end.kind, end.status, end.code] : [end.kind, end.code];
}

interface Row {
  readonly code: string;
  readonly scenario: string;
  readonly agents?: ProcessConfig['agents'];
  readonly skip?: string | false;
  readonly shows: (world: World) => Promise<void>;
}

const oneAtATime = { queue: { agent: { activeMax: 1, waitingMax: 1, waitMsMax: 60_000 } } };
const named: readonly [] = [];

const rows: readonly Row[] = [
  {
    code: 'success',
    scenario: 'recovery 3: the network is cut in the middle of a turn, in four ways',
    shows: async ({ talk, proxy, gate, recover, client }) => {
      const turn = await talk.say('say 200 words\nsleep at cut\nsay 200 words');
      await gate('cut').reached();
      await client.turns.get({ params: { id: turn } });
      const recovering = recover(turn);
      proxy.reset();
      proxy.closeNormally();
      proxy.swallowAnswers(true);
      gate('cut').release();
      await talk.until(isEndOf(turn));
      proxy.swallowAnswers(false);
      assert.deepEqual(told(await recovering), ['recovered', 'completed', 'success']);
    },
  },
  {
    code: 'running',
    scenario: 'recovery 1: the app is started anew in the middle of a turn, and reads on once',
    shows: async ({ talk, proxy, gate, gateway }) => {
      const turn = await talk.say('say 200 words\nsleep at half\nsay 200 words');
      await gate('half').reached();
      await talk.until(({ type }) => type === 'delta');
      const seen = [...talk.events];
      // Nothing of the first app is left but what it has stored: the thread, the turn and a number.
      const client = createClient({ baseUrl: proxy.url, token: gateway().token });
      const params = { id: talk.id() };
      assert.equal((await client.turns.get({ params: { id: turn } })).turn.status, 'running');
      gate('half').release();
      await talk.until(isEndOf(turn));
      const after = seen.at(-1)?.seq ?? 0;
      const { items } = await client.threads.events({ params, query: { after, limit: 500 } });
      const whole = [...seen, ...items].map(({ seq }) => seq);
      assert.deepEqual(
        whole,
        whole.map((_, index) => index + 1),
      );
    },
  },
  {
    code: 'queued',
    scenario: 'recovery 5: the lane is busy; place and reason are seen, and a cancel works',
    agents: { named, ...oneAtATime },
    shows: async ({ talk, gate, recover, client, gateway }) => {
      await talk.say('sleep at busy');
      await gate('busy').reached();
      const other = createTalk(() => gateway().me);
      await other.begin();
      const waiting = await other.say('later');
      const { turn } = await client.turns.get({ params: { id: waiting } });
      assert.equal(turn.status, 'queued');
      const call = { jsonrpc: '2.0', id: 1, method: 'tasks.get', params: { turnId: waiting } };
      const { body } = await gateway().me.post('/acp/rpc', call);
      const { queue } = body['result'];
      assert.equal(queue.position, 1, JSON.stringify(body));
      assert.ok(queue.reason, JSON.stringify(queue));
      await client.turns.cancel({ params: { id: waiting } });
      assert.deepEqual(told(await recover(waiting)), ['recovered', 'cancelled', 'aborted']);
    },
  },
  {
    code: 'aborted',
    scenario: 'a person cancels while the client is away',
    shows: async ({ talk, gate, proxy, recover, gateway }) => {
      const turn = await talk.say('sleep at cancel');
      await gate('cancel').reached();
      proxy.swallowAnswers(true);
      const recovering = recover(turn);
      await gateway().me.post(`turns/${turn}/cancel`);
      await talk.until(isEndOf(turn));
      proxy.swallowAnswers(false);
      assert.deepEqual(told(await recovering), ['recovered', 'cancelled', 'aborted']);
    },
  },
  {
    code: 'error',
    scenario: 'recovery 4a: the agent fails before any output; the same answer for ever',
    shows: async ({ talk, recover, client, kill, start }) => {
      const turn = await talk.say('fail: no quota for sk-live-0123456789');
      const seen = await recover(turn);
      assert.deepEqual(told(seen), ['recovered', 'failed', 'error']);
      const params = { id: turn };
      const { result } = (await client.turns.get({ params })).turn;
      assert.equal(result?.message, 'no quota for (hidden)');
      await kill();
      await start();
      assert.deepEqual((await client.turns.get({ params })).turn.result, result);
    },
  },
  {
    code: 'OPENCLAW_GATEWAY_BUSY',
    scenario: 'recovery 5: the queue is full',
    agents: { named, ...oneAtATime },
    shows: async ({ talk, gate, client, gateway }) => {
      await talk.say('sleep at full');
      await gate('full').reached();
      const other = createTalk(() => gateway().me);
      await other.begin();
      await other.say('waits');
      const params = { id: other.id() };
      const refused = await client.threads
        .prompt({ params, body: { text: 'one too many' } })
        .catch((error: unknown) => error);
      assert.ok(refused instanceof RefusedError);
      assert.equal(refused.refusal.code, 'queue_full');
      assert.equal(refused.detail['turn_code'], 'OPENCLAW_GATEWAY_BUSY');
    },
  },
  {
    code: 'OPENCLAW_GATEWAY_BUSY',
    scenario: 'recovery 5: a turn waits for too long',
    agents: { named, queue: { agent: { activeMax: 1, waitingMax: 5, waitMsMax: 300 } } },
    shows: async ({ talk, gate, recover, client, gateway }) => {
      await talk.say('sleep at long');
      await gate('long').reached();
      const other = createTalk(() => gateway().me);
      await other.begin();
      const turn = await other.say('waits in vain');
      assert.deepEqual(told(await recover(turn)), ['recovered', 'failed', 'OPENCLAW_GATEWAY_BUSY']);
      const { result } = (await client.turns.get({ params: { id: turn } })).turn;
      assert.equal(result?.cause, 'queue_timeout');
    },
  },
  {
    code: 'OPENCLAW_GATEWAY_LOST',
    scenario: 'recovery 4: the host does not answer, and stays silent',
    agents: { named, silenceMs: 1_500 },
    skip: sshdSkip,
    shows: async ({ t, gateway, recover, client }) => {
      const sshd = await openSshd(t);
      await using door = await openDoor(sshd.port);
      const ask = createAsk({ url: gateway().url, owner: gateway() });
      const connectionId = await addHost(ask, { ...sshd, port: door.port });
      await door.shut();
      const far = createTalk(() => gateway().me);
      await far.begin({ connection_id: connectionId });
      const turn = await far.say('are you there?');
      assert.deepEqual(told(await recover(turn)), ['recovered', 'failed', 'OPENCLAW_GATEWAY_LOST']);
      const { result } = (await client.turns.get({ params: { id: turn } })).turn;
      assert.equal(result?.cause, 'refused');
      assert.ok(far.events.length > 0 || (await far.until(isEndOf(turn))));
    },
  },
  {
    code: 'OPENCLAW_RUN_DEADLINE_EXCEEDED',
    scenario: 'the deadline passes while no gateway is alive',
    shows: async ({ talk, gate, recover, kill, start, directory }) => {
      const turn = await talk.say('sleep at deadline');
      await gate('deadline').reached();
      await kill();
      {
        using database = new DatabaseSync(join(directory, 'control.db'), { timeout: 5_000 });
        // Just now: a client goes on asking for five minutes after it.
        const overdue = database.prepare('UPDATE turns SET deadline_at_ms = ? WHERE id = ?');
        overdue.run(clock.wallMs() - 1, turn);
      }
      const recovering = recover(turn);
      await start();
      assert.deepEqual(told(await recovering), ['failed', 'OPENCLAW_RUN_DEADLINE_EXCEEDED']);
    },
  },
  {
    code: 'ACP_BRIDGE_RESTART',
    scenario: 'recovery 2: the agent dies while no gateway is alive',
    shows: async ({ talk, gate, recover, kill, start, client }) => {
      const turn = await talk.say('so far\nsleep at restart');
      const [agent = 0] = await gate('restart').reached();
      await client.turns.get({ params: { id: turn } });
      const { generation } = client.gateway.last ?? {};
      assert.ok(generation !== undefined);
      await kill();
      process.kill(agent, 'SIGKILL');
      // Its shim notes the end in a moment, and nothing tells us of that.
      while (isThere(agent)) await clock.sleep(5);
      await clock.sleep(300);
      await start();
      assert.deepEqual(told(await recover(turn, { generation })), ['failed', 'ACP_BRIDGE_RESTART']);
    },
  },
  {
    code: 'success',
    scenario: 'recovery 2: the gateway is restarted, and the same turn goes on',
    shows: async ({ talk, gate, recover, kill, start, client }) => {
      const turn = await talk.say('say 200 words\nsleep at on\nsay 200 words');
      await gate('on').reached();
      await client.turns.get({ params: { id: turn } });
      const { generation = 0 } = client.gateway.last ?? {};
      await kill();
      const recovering = recover(turn, { generation });
      await start();
      gate('on').release();
      const end = await recovering;
      assert.deepEqual(told(end), ['recovered', 'completed', 'success']);
      assert.equal(end.isRestarted, true, 'a restart is told from a network that is down');
    },
  },
  {
    code: 'ACP_SESSION_NOT_FOUND',
    scenario: 'the gateway does not know the turn',
    shows: async ({ recover }) => {
      assert.deepEqual(told(await recover('0000000000000000')), [
        'failed',
        'ACP_SESSION_NOT_FOUND',
      ]);
    },
  },
  {
    code: 'ACP_UNREACHABLE',
    scenario: 'no connection comes about until asking is over',
    shows: async ({ recover, kill, start, talk }) => {
      const turn = await talk.say('hello');
      await talk.until(isEndOf(turn));
      await kill();
      const end = await recover(turn, { pollUntilMs: clock.wallMs() + 500 });
      assert.deepEqual(told(end), ['failed', 'ACP_UNREACHABLE']);
      await start();
    },
  },
  {
    code: 'ACP_UNRECOVERABLE',
    scenario: 'the gateway answers, and the turn has not ended when asking is over',
    shows: async ({ recover, talk, gate }) => {
      const turn = await talk.say('sleep at ever');
      await gate('ever').reached();
      // Past the end that the gateway names: its deadline, and five minutes.
      const end = await recover(turn, { aheadMs: 2 * 3_600_000 });
      assert.deepEqual(told(end), ['failed', 'ACP_UNRECOVERABLE']);
    },
  },
];

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It is gone.
    return false;
  }
}

for (const { code, scenario, agents, skip = false, shows } of rows) {
  test(`${code}: ${scenario}`, { skip, timeout: 120_000 }, (t) =>
    inWorld(t, agents ?? { named }, shows),
  );
}

test('the table of docs/recovery.md has the codes that are shown here', () => {
  const page = readFileSync(new URL('../../../../docs/recovery.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Codes'), page.indexOf('**A restart**'));
  const listed = [...section.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word),
  );
  assert.deepEqual(listed.toSorted(), [...new Set(rows.map((row) => row.code))].toSorted());
});
