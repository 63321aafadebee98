/*
 * What may happen in the middle of a turn besides a restart: the database is away, the disk is full, a message is longer than any may be, a
 * person puts the conversation away. Nothing is lost and nothing comes twice, or it is said what was.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import {
  fakeAgentCommand,
  openGate,
  openSmallDisk,
  smallDiskSkip,
  usePostgres,
} from '@clawdfather/testkit';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, testConfig } from '../fixtures/open-test-gateway.ts';

const postgres = usePostgres();
const clock = createSystemClock();

/* The echoing agent, with gates. */
async function gatedEcho(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'clf-mid-turn-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const gates = join(directory, 'gates');
  mkdirSync(gates);
  const agents = { named: [{ name: 'echo', command: fakeAgentCommand({ gates }) }] };
  return { agents, gate: (name: string) => openGate(gates, name) };
}

const wordsOf = (text: string): readonly string[] => text.match(/word-\d+/g) ?? [];
const words = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `word-${index + 1}`);

for (const manner of ['crash', 'restart'] as const) {
  test(`PostgreSQL is gone for a while in the middle of a turn (${manner}): the answer is whole`, {
    skip: postgres.skip,
  }, async (t) => {
    const { agents, gate } = await gatedEcho(t);
    const { connectionString } = await postgres.server.createDatabase();
    const database = { kind: 'postgres', connectionString } as const;
    await using rig = await openTestGateway({ config: { database, agents } });
    const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
    await talk.begin();
    const turn = await talk.say('say 1000 words\nsleep at middle\nsay 2000 words');
    await gate('middle').reached();
    const away = postgres.server.restartBy(manner);
    // It speaks while nobody can write down what it says.
    gate('middle').release();
    await away;
    assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
    assert.deepEqual(wordsOf(talk.textOf(turn)), [...words(1000), ...words(2000)]);
    assert.deepEqual(
      talk.events.map(({ seq }) => seq),
      talk.events.map((_, index) => index + 1),
    );
  });
}

for (const place of ['state directory', 'database'] as const) {
  test(`the disk of the ${place} is full in the middle of a turn: the answer is whole when there is room`, {
    skip: smallDiskSkip,
  }, async (t) => {
    const { agents, gate } = await gatedEcho(t);
    using disk = openSmallDisk('size=32m');
    const usual = testConfig(disk.path);
    const config =
      place === 'database' ? { database: usual.database } : { stateDir: usual.stateDir };
    await using rig = await openTestGateway({ config: { ...config, agents } });
    using _room = { [Symbol.dispose]: () => disk.relieve() };
    const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
    await talk.begin();
    const turn = await talk.say('say 100 words\nsleep at middle\nsay 20000 words\nsleep at end');
    await gate('middle').reached();
    await talk.until(({ type }) => type === 'delta');
    disk.fill();
    gate('middle').release();
    // Either it cannot write on, or it has written and waits; nothing tells of the first.
    await Promise.race([gate('end').reached(), clock.sleep(3_000)]);
    disk.relieve();
    await gate('end').reached();
    gate('end').release();
    assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
    assert.deepEqual(wordsOf(talk.textOf(turn)), [...words(100), ...words(20_000)]);
    const again = await talk.say('and now?');
    assert.equal((await talk.until(isEndOf(again))).payload['event'], 'completed');
  });
}

test('a message of 70 MiB ends the agent and says why; the conversation goes on with another one', async () => {
  const answer = `while IFS= read -r line; do id=\${line#*'"id":'}; id=\${id%%[,\\}]*}
    case $line in
      *initialize*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\\n' "$id" ;;
      *session/new*) printf '{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s"}}\\n' "$id" ;;
      *small*) printf '{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn"}}\\n' "$id" ;;
      *session/prompt*) head -c 73400320 /dev/zero | tr '\\0' 'x'; echo ;;
    esac; done`;
  const named = [{ name: 'long', command: ['/bin/sh', '-c', answer] as const }];
  await using rig = await openTestGateway({ config: { agents: { named } } });
  const talk = createTalk(() => callerOf(rig.url, rig.owner.token));
  await talk.begin({ agent: 'long' });
  const { payload } = await talk.until(isEndOf(await talk.say('large')));
  const { code, message } = payload['result'] as { code: string; message: string };
  assert.deepEqual([payload['event'], code], ['interrupted', 'error']);
  assert.match(message, /a message of the agent was longer than any may be/);
  const next = await talk.say('small');
  assert.equal((await talk.until(isEndOf(next))).payload['event'], 'completed');
});

test('a conversation is not put away in the middle of a turn; once that is cancelled it is, and its agent ends', async (t) => {
  const { agents, gate } = await gatedEcho(t);
  await using rig = await openTestGateway({ config: { agents } });
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin();
  const turn = await talk.say('so far\nsleep at middle\nnever said');
  const waiting = await talk.say('never begun');
  await gate('middle').reached();
  const archived = await me.post(`threads/${talk.id()}/archive`);
  assert.equal(archived.status, 409, JSON.stringify(archived.body));
  await me.post(`turns/${waiting}/cancel`);
  await me.post(`turns/${turn}/cancel`);
  assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'cancelled');
  assert.equal((await me.post(`threads/${talk.id()}/archive`)).status, 200);
  await talk.until(({ payload: { event } }) => event === 'agent-ended');
  const refused = await me.post(`threads/${talk.id()}/turns`, { text: 'too late' });
  assert.equal(refused.status, 409, JSON.stringify(refused.body));
});
