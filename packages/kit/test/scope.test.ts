/*
 * Scopes: the order of an end, and what a parent's abort does and does not do.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScope } from '@clawdfather/kit';

test('the end of a scope aborts first, then disposes in reverse order', async () => {
  const steps: string[] = [];
  {
    await using scope = createScope();
    scope.signal.addEventListener('abort', () => steps.push('abort'));
    scope.defer(() => void steps.push('first'));
    const resource = scope.use({ name: 'r', [Symbol.dispose]: () => void steps.push('second') });
    assert.equal(resource.name, 'r');
    scope.defer(async () => void steps.push('third'));
  }
  assert.deepEqual(steps, ['abort', 'third', 'second', 'first']);
});

test('one failing disposal does not keep the others from running', async () => {
  const steps: string[] = [];
  const scope = createScope();
  scope.defer(() => void steps.push('first'));
  scope.defer(() => {
    throw new Error('second failed');
  });
  scope.defer(() => {
    throw new Error('third failed');
  });
  await assert.rejects(async () => scope[Symbol.asyncDispose](), SuppressedError);
  assert.deepEqual(steps, ['first']);
});

test("a parent's abort aborts the child with its reason but disposes of nothing", async () => {
  const parent = new AbortController();
  const scope = createScope(parent.signal);
  let isDisposed = false;
  scope.defer(() => {
    isDisposed = true;
  });
  const reason = new Error('stop');
  parent.abort(reason);
  assert.equal(scope.signal.reason, reason);
  assert.equal(isDisposed, false);
  await scope[Symbol.asyncDispose]();
  assert.equal(isDisposed, true);
});

test('a scope under an aborted parent is aborted from the start', async () => {
  await using scope = createScope(AbortSignal.abort(new Error('over')));
  assert.equal(scope.signal.aborted, true);
});

test('a scope may be disposed of twice', async () => {
  let runs = 0;
  const scope = createScope();
  scope.defer(() => {
    runs += 1;
  });
  await scope[Symbol.asyncDispose]();
  await scope[Symbol.asyncDispose]();
  assert.equal(runs, 1);
});
