/*
 * What a person may say about a run over HTTP beside the command: a name, labels, a grace time, limits; and finding it by them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservedLabels } from '@clawdfather/protocol';
import * as origins from '@clawdfather/supervisor/origins';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

interface Listed {
  readonly items: readonly { readonly runId: string }[];
}

test('a run is found by its name, the beginning of its id, a label, its session and its backend', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const web = await me.start({ argv: ['sleep', '600'], name: 'web', labels: { team: 'a=b' } });
  const other = await me.start({ argv: ['sleep', '600'] });
  const found = async (query: string): Promise<string[]> => {
    const { status, body } = await me.get(`/api/v1/runs?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Listed).items.map(({ runId }) => runId);
  };
  assert.deepEqual(await found('name=web'), [web]);
  assert.deepEqual(await found(`prefix=${web.slice(0, 15)}`), [web]);
  assert.deepEqual(await found('label=team%3Da%3Db'), [web]);
  assert.deepEqual(await found('label=team%3Da'), []);
  assert.deepEqual(await found('session=api&backend=exec'), [other, web]);
  assert.deepEqual(await found('backend=cli'), []);
  for (const wrong of ['name=a%20b', 'prefix=%25', 'label=novalue', 'label=%3Dvalue']) {
    const { status, body } = await me.get(`/api/v1/runs?${wrong}`);
    assert.deepEqual([status, body.error.code], [400, 'validation_error'], wrong);
  }
  const { body } = await me.get(`/api/v1/runs/${web}`);
  assert.deepEqual(
    [body.name, body.labels.team, body.mode, body.backendId, body.owner.epoch],
    ['web', 'a=b', 'child', 'exec', 1],
  );
});

test('a living run has its name alone, whoever asks at the same moment; an ended one gives it back', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const body = { argv: ['sleep', '600'], name: 'web' };
  const answers = await Promise.all(Array.from({ length: 8 }, () => me.post('/api/v1/runs', body)));
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  assert.equal(refused?.body.error.code, 'name_taken');
  assert.match(refused?.body.error.message, /"web"/);

  const member = callerOf(rig.url, rig.other.token);
  const { body: theirs } = await member.get('/api/v1/runs?name=web');
  assert.deepEqual(theirs.items, [], 'names of others are nothing to see');

  const first = answers.find(({ status }) => status === 201)?.body.runId as string;
  await me.post(`/api/v1/runs/${first}/cancel`);
  const second = await me.start(body);
  const { body: named } = await me.get('/api/v1/runs?name=web');
  assert.deepEqual(
    (named as Listed).items.map(({ runId }) => runId),
    [second, first],
  );
});

test('the same request with the same key is answered again, also while its name is taken by itself', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const body = { argv: ['sleep', '600'], name: 'once' };
  const key = { 'idempotency-key': 'a-key-for-once' };
  const [first, again] = [
    await me.post('/api/v1/runs', body, key),
    await me.post('/api/v1/runs', body, key),
  ];
  assert.deepEqual([first.status, again.status], [201, 201]);
  assert.equal(again.body.runId, first.body.runId);
});

test('limits, priority and grace time reach the command', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('/api/v1/runs', {
    command: 'ulimit -n; ulimit -t; nice',
    limits: { openFiles: 77, cpuSeconds: 33 },
    nice: 7,
    yieldMs: 20_000,
  });
  assert.deepEqual([body.status, body.output], ['completed', '77\n33\n7\n'], JSON.stringify(body));

  const stubborn = await me.start({
    command: 'trap "" TERM; echo ready; while :; do sleep 0.1; done',
    graceMs: 50,
  });
  while (!(await me.outputOf(stubborn)).includes('ready'));
  const { body: ended } = await me.post(`/api/v1/runs/${stubborn}/cancel`);
  assert.deepEqual([ended.isGone, ended.signal], [true, 'SIGKILL']);
});

test('labels that say whose a run is, and priorities above the usual, are refused', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const refused = [
    ...reservedLabels.map((name) => ({ labels: { [name]: 'x' } })),
    { labels: { 'a\u001b]52;c;eA==\u0007': 'x' } },
    { labels: { a: 'x\u0000' } },
    { limits: { cpuSeconds: Number.MAX_SAFE_INTEGER } },
    { nice: -1 },
    { name: 'not a name' },
    { name: '-x' },
    { graceMs: 0 },
    { limits: { openFiles: 0 } },
    { limits: { unknown: 1 } },
  ];
  for (const extra of refused) {
    const { status, body } = await me.post('/api/v1/runs', { argv: ['true'], ...extra });
    assert.deepEqual([status, body.error.code], [400, 'validation_error'], JSON.stringify(extra));
  }
  const { body } = await me.get('/api/v1/runs');
  assert.equal(body.total, 0);
});

test('a request that is held is found by the beginning of its id, and not by a label', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body: made } = await me.post('/api/v1/auth/tokens', {
    label: 'agent',
    scopes: ['read', 'run'],
  });
  const agent = callerOf(rig.url, made.token);
  const { body: asked } = await agent.post('/api/v1/runs', { argv: ['/usr/bin/touch', 'made'] });
  assert.equal(asked.status, 'approval-pending', JSON.stringify(asked));
  const { body: found } = await me.get(`/api/v1/runs?prefix=${asked.runId.slice(0, 12)}`);
  assert.deepEqual([found.total, found.items[0]?.state], [1, 'held']);
  const { body: others } = await me.get('/api/v1/runs?prefix=zzzz');
  assert.equal(others.total, 0);
  const { body: sifted } = await me.get('/api/v1/runs?backend=exec');
  assert.equal(sifted.total, 0);
});

test('every label that says where a run comes from is refused to callers', () => {
  const ours = Object.entries(origins).flatMap(([name, word]) =>
    name.endsWith('Label') ? [String(word)] : [],
  );
  assert.deepEqual([...reservedLabels].toSorted(), ours.toSorted());
});
