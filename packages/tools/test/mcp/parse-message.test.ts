/*
 * What a line is worth as JSON-RPC.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseMessages } from '../../src/mcp/parse-message.ts';

function codes(line: string): readonly (number | string)[] {
  return parseMessages(line).map((one) =>
    one.kind === 'message' ? 'message' : one.refusal.error.code,
  );
}

test('requests, notifications and answers are messages', () => {
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 'a', method: 'ping', params: {} },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } },
  ]) {
    assert.deepEqual(codes(JSON.stringify(message)), ['message'], JSON.stringify(message));
  }
});

test('what is no JSON is a parse error; what is no message is an invalid request', () => {
  assert.deepEqual(codes('{'), [-32700]);
  assert.deepEqual(codes('ls -la'), [-32700]);
  for (const line of [
    '1',
    'null',
    '"text"',
    '[]',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
  ]) {
    assert.deepEqual(codes(line), [-32600], line);
  }
});

test('the refusal carries the id when there is one', () => {
  const [refused] = parseMessages('{"id":7,"method":"ping"}');
  assert.equal(refused?.kind === 'refused' && refused.refusal.id, 7);
});

test('blank lines are nothing, a batch is its messages', () => {
  assert.deepEqual(codes(''), []);
  assert.deepEqual(codes(' \r'), []);
  assert.deepEqual(codes('[{"jsonrpc":"2.0","id":1,"method":"ping"},1]'), ['message', -32600]);
  assert.deepEqual(codes(JSON.stringify(Array.from({ length: 101 }, () => 1))), [-32600]);
});

test('no line whatsoever makes it throw', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (line) => void parseMessages(line)));
  fc.assert(fc.property(fc.json(), (line) => void parseMessages(line)));
});
