/*
 * A turn that is asked after: a person who does not want to wait for the next attempt, and one who leaves.
 */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient } from '../../src/client.ts';
import type { Recovery } from '../../src/recovery/next-recovery.ts';
import { recoverTurn } from '../../src/recovery/recover-turn.ts';

const random = createSystemRandom();
const turnId = 'a2x4y16xc27sx1d4';
const at = '2026-01-01T00:00:00.000Z';
const turn = {
  id: turnId,
  thread_id: 'b2x4y16xc27sx1d4',
  status: 'completed',
  run_id: null,
  queued_at: at,
  started_at: at,
  deadline_at: null,
  ended_at: at,
  cancel_asked_at: null,
  priority: 0,
  not_before: null,
  queue: null,
  result: { code: 'success', stop_reason: 'end_turn', message: null, cause: null },
  usage: null,
  artifact_sync: { status: 'no-artifacts', count: 0, missing: [], missing_count: 0 },
};

/* Waits until it is told not to. */
const clock = {
  ...createSystemClock(),
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
};

async function openGateway(answer: (response: ServerResponse, count: number) => void) {
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    answer(response, count);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    client: createClient({ baseUrl: `http://127.0.0.1:${port}` }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function finish(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ turn }));
}

test('a person who asks for another attempt waits for none', async () => {
  await using gateway = await openGateway((response, count) => {
    if (count < 4) response.destroy();
    else finish(response);
  });
  let askNow: (() => void) | undefined;
  let stopped = 0;
  const states: Recovery['kind'][] = [];
  const end = await recoverTurn(
    { client: gateway.client, turnId },
    {
      clock,
      random,
      renewals: (renew) => {
        askNow = renew;
        return () => void (stopped += 1);
      },
      onState: ({ kind }) => {
        states.push(kind);
        // Once it waits.
        if (kind === 'lost_connection') setImmediate(() => askNow?.());
      },
    },
  );
  assert.equal(end.kind, 'recovered');
  assert.deepEqual(states, [...Array(3).fill('lost_connection'), 'recovered']);
  assert.equal(stopped, 1);
});

test('an attempt that hangs is given up for a new one', async () => {
  let askNow: (() => void) | undefined;
  await using gateway = await openGateway((response, count) => {
    if (count === 1) askNow?.();
    else finish(response);
  });
  const renewals = (renew: () => void) => {
    askNow = renew;
    return () => {};
  };
  const end = await recoverTurn({ client: gateway.client, turnId }, { clock, random, renewals });
  assert.equal(end.kind, 'recovered');
});

test('who leaves is told so, while it waits and while it asks', async () => {
  for (const isHanging of [true, false]) {
    const leaving = new AbortController();
    await using gateway = await openGateway((response) => {
      if (isHanging) leaving.abort(new Error('left'));
      else response.destroy();
    });
    const onState = (): void => void setImmediate(() => leaving.abort(new Error('left')));
    const { signal } = leaving;
    const given = { client: gateway.client, turnId };
    await assert.rejects(recoverTurn(given, { clock, random, signal, onState }), /left/);
  }
});
