/*
 * Two gateways of one PostgreSQL, with turns under way at both and prompts through both. One is frozen, another process takes its place,
 * and the frozen one goes on as if nothing had happened: nothing is lost, nothing is done twice, and the frozen one changes nothing.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fakeAgentCommand, freezeProcess, openGate, usePostgres } from '@clawdfather/testkit';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';

const postgres = usePostgres();

const words = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `word-${index + 1}`);

/* As if it had been frozen for longer than its lease: the next one takes what it holds. */
function expireLeases(stateDir: string): void {
  using registry = new DatabaseSync(join(stateDir, 'registry.db'), { timeout: 5_000 });
  registry.exec('UPDATE owners SET lease_expires_at_ms = 0');
}

test('freeze, steal, thaw with turns under way and prompts through both', {
  skip: postgres.skip,
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-two-'));
  const gates = join(directory, 'gates');
  mkdirSync(gates);
  const effects = join(directory, 'effects');
  const { connectionString } = await postgres.server.createDatabase();
  const database = { kind: 'postgres', connectionString } as const;
  const agents = { named: [{ name: 'echo', command: fakeAgentCommand({ gates, effects }) }] };
  const masterKeysDir = join(directory, 'keys');
  const start = (name: string): Promise<GatewayProcess> =>
    startGatewayProcess(join(directory, name), { database, masterKeysDir, agents });
  const all: GatewayProcess[] = [];
  const started = async (name: string): Promise<GatewayProcess> => {
    const gateway = await start(name);
    all.push(gateway);
    return gateway;
  };
  try {
    const first = await started('a');
    const other = await started('b');
    const atFirst = createTalk(() => other.me);
    atFirst.takeUp((await first.me.post('threads', { agent: 'echo' })).body['thread'].id);
    const atOther = createTalk(() => other.me);
    await atOther.begin();
    const say = async (gateway: GatewayProcess, threadId: string, text: string) => {
      const body = { text, client_message_id: text.replaceAll('\n', ';') };
      const answer = await gateway.me.post(`threads/${threadId}/turns`, body);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body['turn'].id as string;
    };
    const held = 'say 500 words\neffect: one\nsleep at middle\nsay 500 words\neffect: two';
    const holding = await say(first, atFirst.id(), held);
    await openGate(gates, 'middle').reached();
    const beside = await say(other, atOther.id(), 'effect: beside\nsay 500 words');
    // Through the gateway that has the agent, and through the one that has not.
    const queued = [
      await say(first, atFirst.id(), 'effect: three'),
      await say(other, atFirst.id(), 'effect: four'),
    ];

    await freezeProcess(first.pid);
    expireLeases(join(directory, 'a', 'state'));
    const next = await started('a');
    assert.equal(await say(other, atFirst.id(), 'effect: four'), queued[1], 'the same message');
    openGate(gates, 'middle').release();
    for (const turn of [holding, ...queued]) {
      assert.equal((await atFirst.until(isEndOf(turn))).payload['event'], 'completed');
    }
    assert.equal((await atOther.until(isEndOf(beside))).payload['event'], 'completed');

    process.kill(first.pid, 'SIGCONT');
    const late = await say(next, atFirst.id(), 'effect: five');
    const through = await say(other, atFirst.id(), 'effect: six');
    for (const turn of [late, through]) {
      assert.equal((await atFirst.until(isEndOf(turn))).payload['event'], 'completed');
    }
    // Asked for something, it refuses or is gone; or takes it in, as any gateway of the database may, and the one that has the agent does it.
    const body = { text: 'effect: seven', client_message_id: 'seven' };
    const taken = await first.me.post(`threads/${atFirst.id()}/turns`, body).catch(() => undefined);
    const isTaken = taken?.status === 202;
    if (isTaken) await atFirst.until(isEndOf(taken.body['turn'].id));
    const text = atFirst.textOf(holding).match(/word-\d+/g) ?? [];
    assert.deepEqual(text, [...words(500), ...words(500)]);
    for (const talk of [atFirst, atOther]) {
      assert.deepEqual(
        talk.events.map(({ seq }) => seq),
        talk.events.map((_, index) => index + 1),
      );
    }
    const done = readFileSync(effects, 'utf8').trim().split('\n');
    const expected = ['one', 'two', 'beside', 'three', 'four', 'five', 'six'];
    if (isTaken) expected.push('seven');
    assert.deepEqual(done.toSorted(), expected.toSorted(), 'each once');
  } finally {
    for (const gateway of all) {
      process.kill(gateway.pid, 'SIGCONT');
      await gateway.end('SIGKILL');
    }
    for (const name of ['a', 'b']) await endEveryRun(join(directory, name, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});
