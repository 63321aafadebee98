/*
 * Malformed everything: whatever is sent to whichever method, the answer is a refusal in the shape of JSON-RPC or a good answer, and never a
 * mistake of ours. Nothing that gets through may run: the policy of this gateway denies every command. Half of the calls name things that are there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rpcAnswerSchema, rpcMethods } from '@clawdfather/protocol/acp';
import { api } from '@clawdfather/protocol/api';
import fc from 'fast-check';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type FilledGateway, openFilled } from '../matrix/open-filled.ts';
import { createRpc, type Message, RpcSocket } from './rpc-client.ts';
import { everyRpcRow, madeOf } from './rpc-rows.ts';

const runsPerMethod = Number(process.env['FUZZ_RUNS'] ?? 25);
const someId = '0123456789abcdef';
const missing = madeOf(someId);

/* What ends or answers one of the things that were made: of these only what is missing is named, so that the others have them. */
const endings: readonly string[] = [
  'session.cancel',
  'session.close',
  'permissions.respond',
  'tasks.cancel',
  'threads.archive',
];

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '..', '%00', '\u0000', '\ud800', "' OR 1=1 --", 'x'.repeat(300), '__proto__'),
);
const oddValue = fc.oneof(
  fc.jsonValue(),
  oddText,
  fc.array(oddText, { maxLength: 3 }),
  fc.constantFrom(someId, -1, 1e308, 2 ** 53),
);

/* Of a method, and of others. */
const someNames = [
  'threadId',
  'turnId',
  'runId',
  'lastSeq',
  'limit',
  'status',
  'code',
  'model',
  'mode',
  'attachments',
  'appThreadKey',
];

function mutated(good: object): fc.Arbitrary<unknown> {
  const names = [...Object.keys(good), ...someNames];
  const name = fc.oneof(fc.constantFrom(...names), oddText);
  return fc.oneof(
    fc.dictionary(name, oddValue, { maxKeys: 4 }).map((more) => ({ ...good, ...more })),
    fc.dictionary(name, oddValue, { maxKeys: 4 }),
    fc.jsonValue(),
  );
}

const oddIds = fc.oneof(fc.jsonValue(), fc.constantFrom(null, 0, -1, 1.5, 'x', 2 ** 60));

function malformed(method: string, good: object): fc.Arbitrary<unknown> {
  const request = fc.record(
    { jsonrpc: fc.constantFrom('2.0', '1.0', 2), id: oddIds, params: mutated(good) },
    { requiredKeys: ['params'] },
  );
  return request.map((more) => ({ jsonrpc: '2.0', method, ...more }));
}

function check(answer: Message): void {
  rpcAnswerSchema.parse(answer);
  const { error } = answer;
  if (error === undefined) return;
  assert.notEqual(error.data.code, 'internal_error', JSON.stringify(answer));
}

async function forgetLimits({ gateway, owner }: FilledGateway): Promise<void> {
  for (const { method, path } of [api.threads.create, api.threads.prompt]) {
    const scope = `${method} ${path}`;
    await gateway.store.system.rateLimits.forget({ scope, subject: owner.accountId });
  }
}

test('every method answers whatever it is given, by HTTP and by a socket, and never fails', async () => {
  await using rig = await openFilled();
  const rpc = createRpc(rig.url, rig.owner.token);
  await using socket = await RpcSocket.open(rig.url, rig.owner.token);
  const inOrder = everyRpcRow.toSorted(
    ([one], [other]) => Number(endings.includes(one)) - Number(endings.includes(other)),
  );
  for (const [method, { params }] of inOrder) {
    const isEnding = endings.includes(method);
    const goods = (isEnding ? [missing] : [missing, rig.made]).map((made) => params?.(made) ?? {});
    const good = goods.at(-1) ?? {};
    // What is malformed reaches the work behind the look for what it names.
    if (!isEnding) assert.notEqual((await rpc.call(method, good)).result?.ok, false, method);
    const some = fc.constantFrom(...goods).chain((one) => malformed(method, one));
    await fc.assert(
      fc.asyncProperty(some, async (request) => {
        await forgetLimits(rig);
        const text = JSON.stringify(request).toWellFormed();
        const { status, body } = await rpc.send(text);
        assert.ok(status === 200 || status === 204, String(status));
        if (status === 204) assert.ok(!('id' in (request as object)), text);
        else {
          check(body);
          if (body.error === undefined) rpcMethods[method].result.parse(body.result);
        }
        socket.send(text);
      }),
      { numRuns: runsPerMethod },
    );
    // It answers in order: when this is answered, all before it was.
    check(await socket.call(method, good));
    for (const message of socket.messages.splice(0)) {
      if (!('method' in message)) check(message);
    }
  }
  assert.ok(Object.keys(rpcMethods).length === everyRpcRow.length);
});

test('what is no message at all is refused, and the next one is answered', async () => {
  await using rig = await openTestGateway();
  const rpc = createRpc(rig.url, rig.owner.token);
  const bad = ['', '{', '[', 'null', '7', '"x"', '[[]]', '[1,2]', '{"__proto__":1}', '\u0000'];
  for (const text of bad) {
    const { status, body } = await rpc.send(text);
    assert.equal(status, 200, text);
    for (const answer of [body].flat()) {
      rpcAnswerSchema.parse(answer);
      assert.equal(answer.id, null);
      assert.ok([-32_700, -32_600].includes(answer.error.code), JSON.stringify(answer));
    }
  }
  const { status, body } = await rpc.send('x=1', {
    'content-type': 'application/x-www-form-urlencoded',
  });
  assert.deepEqual([status, body.error.code], [415, -32_600]);
  assert.ok(await rpc.result('acp.capabilities'));
});
