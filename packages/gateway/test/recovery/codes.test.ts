/*
 * Every code of docs/recovery.md, each produced by the scenario that it is for: through the sdk, against a real gateway, behind a network that
 * breaks. The table below is the one of the page; `npm test` compares their codes.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createClient, type RecoveryEnd, RefusedError } from '@clawdfather/sdk';
import { openSshd, sshdSkip } from '@clawdfather/testkit';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { createAsk } from '../fixtures/api-client.ts';
import type { ProcessConfig } from '../fixtures/start-gateway-process.ts';
import { addHost } from '../hosts/host-world.ts';
import { openDoor } from './open-door.ts';
import { inWorld, watchStates, type World } from './world.ts';

const clock = createSystemClock();

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
    shows: async ({ talk, proxy, gate, recover, gateway }) => {
      const turn = await talk.say('say 200 words\nsleep at cut\nsay 200 words');
      await gate('cut').reached();
      const watch = watchStates();
      const recovering = recover(turn, { onState: watch.onState });
      await watch.until('polling');
      // Answers are lost.
      proxy.swallowAnswers(true);
      await watch.until('lost_connection');
      proxy.swallowAnswers(false);
      await watch.until('polling');
      // Answers break off.
      proxy.cutAfter(20);
      await watch.until('lost_connection');
      proxy.cutAfter(undefined);
      await watch.until('polling');
      // Connections are refused.
      proxy.target('http://127.0.0.1:1');
      proxy.reset();
      await watch.until('lost_connection');
      proxy.target(gateway().url);
      await watch.until('polling');
      // Nothing passes, until the connection is reset.
      proxy.freeze(true);
      while (watch.now() !== 'lost_connection') {
        proxy.reset();
        await clock.sleep(5);
      }
      proxy.freeze(false);
      await watch.until('polling');
      gate('cut').release();
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
      const { last: lastGateway } = client.gateway;
      assert.ok(lastGateway !== undefined);
      await kill();
      const shim = parentOf(agent);
      process.kill(agent, 'SIGKILL');
      // Its shim notes the end, and goes when that is on disk.
      while (isThere(shim)) await clock.sleep(5);
      await start();
      const end = await recover(turn, { gateway: lastGateway });
      assert.deepEqual(told(end), ['failed', 'ACP_BRIDGE_RESTART']);
      // The generations of another gateway behind the same address are no restart of this one.
      const elsewhere = { ...lastGateway, instanceId: 'another' };
      const known = await recover(turn, { gateway: elsewhere });
      assert.deepEqual(told(known), ['recovered', 'interrupted', 'ACP_BRIDGE_RESTART']);
    },
  },
  {
    code: 'success',
    scenario: 'recovery 2: the gateway is restarted, and the same turn goes on',
    shows: async ({ talk, gate, recover, kill, start, client }) => {
      const turn = await talk.say('say 200 words\nsleep at on\nsay 200 words');
      await gate('on').reached();
      await client.turns.get({ params: { id: turn } });
      const { last: lastGateway } = client.gateway;
      assert.ok(lastGateway !== undefined);
      await kill();
      const recovering = recover(turn, { gateway: lastGateway });
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
    scenario: 'the gateway has answered, and the turn has not ended when asking is over',
    shows: async ({ recover, talk, gate, kill, start }) => {
      const turn = await talk.say('sleep at ever');
      await gate('ever').reached();
      const longMs = 2 * 3_600_000;
      let passedMs = 0;
      const polling = Promise.withResolvers<void>();
      const recovering = recover(turn, {
        clock: {
          // A device whose clock is two hours ahead asks as long as any other.
          wallMs: () => clock.wallMs() + longMs,
          monotonicMs: () => clock.monotonicMs() + passedMs,
        },
        onState: ({ kind }) => {
          if (kind !== 'lost_connection') polling.resolve();
        },
      });
      await polling.promise;
      await kill();
      // Past the end that the gateway has named: its deadline, and five minutes.
      passedMs = longMs;
      assert.deepEqual(told(await recovering), ['failed', 'ACP_UNRECOVERABLE']);
      await start();
    },
  },
];

/* The fourth field, behind a name that may have anything in it. */
function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

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
