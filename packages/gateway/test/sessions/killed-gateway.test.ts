/*
 * A gateway killed with SIGKILL, again and again: its sessions and their commands go on under the next one.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAsk } from '../fixtures/api-client.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';

test('killed three times: the session is open, its command runs, an answer that was lost is found by its key', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-killed-'));
  try {
    const headers = { 'idempotency-key': 'one' };
    let known: { readonly id: string; readonly runId: string } | undefined;
    for (let kills = 0; kills < 3; kills += 1) {
      const gateway = await startGatewayProcess(directory);
      const ask = createAsk({ url: gateway.url, owner: gateway });
      const started = await ask('POST', 'sessions', { body: {}, headers });
      assert.equal(started.status, 201);
      const { id, status } = started.body.session;
      const body = { argv: ['sleep', '600'], sessionId: id };
      const { runId } = (await ask('POST', 'runs', { body, headers })).body;
      known ??= { id, runId };
      assert.deepEqual({ id, runId, status }, { ...known, status: 'active' });
      assert.equal((await ask('GET', `runs/${runId}`)).body.state, 'running');
      await gateway.end('SIGKILL');
    }
    const last = await startGatewayProcess(directory);
    const ask = createAsk({ url: last.url, owner: last });
    assert.equal((await ask('GET', 'sessions')).body.total, 1);
    await ask('DELETE', `sessions/${known?.id}`);
    const { exit } = (await ask('GET', `runs/${known?.runId}/wait`)).body;
    assert.equal(exit.reason, 'manual-cancel');
    await last.end('SIGTERM');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
