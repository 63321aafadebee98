/*
 * A thread compared with the journals of its agents: the same after a killed gateway, and what was tampered with is named.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSupervisor, type RunId } from '@clawdfather/supervisor';
import { createTalk, isEndOf } from '../../agents/talk.ts';
import { endEveryRun } from '../../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../../fixtures/start-gateway-process.ts';

test('the same after turns and a killed gateway; changed and removed events are named; a removed run is not comparable', {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-verify-'));
  let gateway = await startGatewayProcess(directory);
  try {
    const talk = createTalk(() => gateway.me);
    await talk.begin();
    const verify = async () => {
      const { status, body } = await gateway.me.get(`threads/${talk.id()}/verify`);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    assert.deepEqual((await verify())['runs'], []);
    await talk.until(isEndOf(await talk.say('say 500 words')));
    const turn = await talk.say('say 2000 words\nask: go on?\nsay 10 words');
    await talk.until(({ type }) => type === 'approval');
    const waiting = await verify();
    assert.deepEqual([waiting['same'], waiting['differs']], [1, 0], JSON.stringify(waiting));
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    const [{ id: askId, options }] = (await gateway.me.get('asks')).body['items'];
    await gateway.me.post(`asks/${askId}`, { option_id: options[0].option_id });
    await talk.until(isEndOf(turn));
    const whole = await verify();
    const [run] = whole['runs'];
    assert.deepEqual([run.outcome, whole['not_comparable']], ['same', 0], JSON.stringify(whole));
    assert.ok(run.compared >= 4, JSON.stringify(run));
    const receipt = (await gateway.me.get(`threads/${talk.id()}/receipt`)).body;
    assert.equal(whole['checksum'], receipt['checksum']);

    const at = (place: number) => ({ threadId: talk.id(), seq: place });
    const { seq } = await talk.until(({ type, turn_id }) => type === 'delta' && turn_id === turn);
    const original = change(directory, at(seq), (json) =>
      json.replace(/"text":"[^"]/, '"text":"#'),
    );
    const [differing] = (await verify())['runs'];
    assert.equal(differing.outcome, 'differs', JSON.stringify(differing));
    const { kind, what, seq: first, last_seq: last } = differing.difference;
    assert.deepEqual([kind, what], ['text', 'changed']);
    assert.ok(first <= seq && seq <= last, `${first} ${seq} ${last}`);
    change(directory, at(seq), () => original);

    const { seq: askSeq } = await talk.until(({ type }) => type === 'approval');
    const asked = change(directory, at(askSeq), (json) => json.replace('go on', 'go off'));
    const [otherAsk] = (await verify())['runs'];
    assert.deepEqual([otherAsk.difference.kind, otherAsk.difference.seq], ['ask', askSeq]);
    change(directory, at(askSeq), () => asked);
    assert.equal((await verify())['runs'][0].outcome, 'same');

    const archived = await gateway.me.post(`threads/${talk.id()}/archive`, {});
    assert.ok(archived.status < 300, JSON.stringify(archived.body));
    await talk.until(({ payload }) => payload['event'] === 'agent-ended');
    assert.equal((await verify())['runs'][0].outcome, 'same');
    await gateway.end('SIGTERM');
    await collect(join(directory, 'state'), run.run_id);
    gateway = await startGatewayProcess(directory);
    const [gone] = (await verify())['runs'];
    assert.deepEqual([gone.outcome, gone.reason], ['not_comparable', 'collected']);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

async function collect(stateDir: string, runId: RunId): Promise<void> {
  const supervisor = await createSupervisor({ stateDir, launcher: 'direct', adoption: 'record' });
  try {
    await supervisor.remove(runId);
    await supervisor.gc();
  } finally {
    await supervisor.close();
  }
}

/* Behind the gateway's back. What was there before is the answer. */
function change(
  directory: string,
  { threadId, seq }: { readonly threadId: string; readonly seq: number },
  to: (json: string) => string,
): string {
  const db = new DatabaseSync(join(directory, 'control.db'), { timeout: 5_000 });
  try {
    const where = 'FROM turn_events WHERE thread_id = ? AND seq = ?';
    const row = db.prepare(`SELECT payload_json ${where}`).get(threadId, seq);
    const before = String(row?.['payload_json']);
    assert.notEqual(row?.['payload_json'], null, 'it is small enough to be in its row');
    db.prepare('UPDATE turn_events SET payload_json = ? WHERE thread_id = ? AND seq = ?').run(
      to(before),
      threadId,
      seq,
    );
    return before;
  } finally {
    db.close();
  }
}
