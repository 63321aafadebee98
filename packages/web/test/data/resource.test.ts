/*
 * What is read and shown: a look that was asked for while another one failed is made.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createResource } from '../../src/data/resource.ts';
import { createPageStorage } from '../storage/page-storage.ts';

const storage = createPageStorage();

test('what is asked for during a look that fails is looked for once more', async () => {
  const looks: PromiseWithResolvers<string>[] = [];
  const resource = createResource({ clock: createFakeClock(), storage }, () => {
    const look = Promise.withResolvers<string>();
    looks.push(look);
    return look.promise;
  });
  const done = resource.refresh();
  void resource.refresh();
  looks[0]?.reject(new Error('lost'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(looks.length, 2);
  looks[1]?.resolve('here');
  await done;
  assert.equal(resource.value.value, 'here');
  assert.equal(resource.problem.value, undefined);
  assert.equal(looks.length, 2);
});
