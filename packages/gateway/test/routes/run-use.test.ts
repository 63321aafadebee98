/*
 * What runs use, over HTTP: only in a list that is asked for it, and only of what lives.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

interface Use {
  readonly at: string;
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly processes: number;
  readonly outputBytes: number | null;
}

interface Listed {
  readonly items: readonly { readonly runId: string; readonly use?: Use }[];
}

test('a list says what living runs use when it is asked to', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const over = await me.start({ argv: ['true'] });
  await me.get(`/api/v1/runs/${over}/wait`);
  // Its own process, and one in the background.
  const busy = 'sleep 600 & while :; do echo xxxxxxxxxxxxxxxx; done';
  const living = await me.start({ argv: ['sh', '-c', busy] });
  const list = async (query: string): Promise<Map<string, Use | undefined>> => {
    const { status, body } = await me.get(`/api/v1/runs${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return new Map((body as Listed).items.map(({ runId, use }) => [runId, use]));
  };
  for (const query of ['', '?use=false']) {
    assert.deepEqual([...(await list(query)).values()], [undefined, undefined], query);
  }
  // Two looks, as far apart as it takes to see that both numbers grow.
  const first = (await list('?use=true')).get(living);
  let later = first;
  while ((later?.cpuMs ?? 0) <= (first?.cpuMs ?? 0) || (later?.processes ?? 0) < 2) {
    const uses = await list('?use=true');
    assert.equal(uses.get(over), undefined, 'nothing of it lives');
    later = uses.get(living);
  }
  assert.ok((later?.outputBytes ?? 0) > (first?.outputBytes ?? 0));
  assert.ok((later?.memoryBytes ?? 0) > 0);
  assert.ok(Date.parse(later?.at ?? '') > Date.parse(first?.at ?? ''));
  const { body } = await me.get(`/api/v1/runs/${living}`);
  assert.ok(!('use' in body));
});
