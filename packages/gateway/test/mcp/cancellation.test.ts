/*
 * What a client wishes reaches the run, and what merely happens to it does not.
 */
import assert from 'node:assert/strict';
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { isLoss } from '../../src/mcp/exchange.ts';
import { createAsk } from '../fixtures/api-client.ts';
import {
  handshakeRevisions,
  type McpRig,
  modernRevision,
  endOfRun,
  openMcpRig,
  revisions,
  runningRun,
  watchCut,
} from './rig.ts';

for (const revision of revisions) {
  test(`${revision}: a client that cancels ends what it waits for, and is named as the cause`, async () => {
    await using rig = await openMcpRig();
    const { token, id } = await rig.makeToken();
    const watch = watchCut('sleep 1000');
    await using agent = await rig.connect({ token, revision, fetch: watch.fetch });
    const background = await agent.call('exec', { command: 'sleep 2000', background: true });
    const kept = String(background.data['runId']);
    const cancel = new AbortController();
    const waiting = agent.call(
      'exec',
      { command: 'sleep 1000', yieldMs: 120_000 },
      { signal: cancel.signal },
    );
    waiting.catch(() => {});
    let runId: string | undefined;
    while (runId === undefined) {
      const { body } = await createAsk(rig.gateway)('GET', 'runs?state=running');
      runId = body.items.find((one: { runId: string }) => one.runId !== kept)?.runId;
    }
    cancel.abort();
    await assert.rejects(waiting);
    const exit = await endOfRun(rig, runId);
    assert.equal(exit.reason, 'manual-cancel');
    assert.equal(exit.actor, `mcp:test-agent token:${id}`);
    assert.equal((await rig.look(kept)).state, 'running', 'what is in the background goes on');
    // Also the stream that an answer would have come on is over.
    await watch.cut;
    await agent.call('process', { action: 'kill', runId: kept });
  });
}

for (const revision of revisions) {
  test(`${revision}: a client that cancels in the middle of a stream of progress ends the run`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    await using agent = await rig.connect({ token, revision });
    const cancel = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = agent.call(
      'exec',
      { command: 'echo begun; sleep 1000', yieldMs: 120_000 },
      { signal: cancel.signal, onprogress: () => resolve() },
    );
    waiting.catch(() => {});
    const runId = await runningRun(rig);
    await promise;
    cancel.abort();
    await assert.rejects(waiting);
    assert.equal((await endOfRun(rig, runId)).reason, 'manual-cancel');
  });
}

for (const revision of handshakeRevisions) {
  test(`${revision}: a connection that breaks cancels nothing; the next result names the end`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    await using network = await openNetwork(rig.url);
    const ending = rig.createEnding(7);
    const watch = watchCut(ending.command);
    const options = { token, revision, url: network.url, fetch: watch.fetch };
    await using agent = await rig.connect(options);
    const waiting = agent.call('exec', { command: ending.command, yieldMs: 120_000 });
    waiting.catch(() => {});
    const runId = await runningRun(rig);
    network.reset();
    await watch.cut;
    // The session goes on over new connections.
    const list = await agent.call('process', { action: 'list', state: 'running' });
    assert.equal((list.data['runs'] as { runId: string }[])[0]?.runId, runId);
    ending.letGo();
    assert.equal((await endOfRun(rig, runId)).code, 7);
    for (;;) {
      const { data } = await agent.call('exec', { command: 'true' });
      const [ended] = (data['ended'] ?? []) as { runId: string; code: number }[];
      if (ended === undefined) continue;
      assert.deepEqual([ended.runId, ended.code], [runId, 7]);
      break;
    }
  });
}

test(`${modernRevision}: a network that swallows everything cancels nothing`, async () => {
  await using rig = await openMcpRig();
  const { token } = await rig.makeToken();
  await using network = await openNetwork(rig.url);
  const lost = await rig.connect({ token, url: network.url });
  const ending = rig.createEnding(0);
  const waiting = lost.call('exec', { command: ending.command, yieldMs: 500 });
  waiting.catch(() => {});
  const runId = await runningRun(rig);
  network.freeze();
  await using agent = await rig.connect({ token, name: 'another' });
  // Beyond what the lost call would have waited for: it has gone to the background.
  const polled = await agent.call('process', { action: 'poll', runId, waitMs: 1_000 });
  assert.equal(polled.data['status'], 'running');
  ending.letGo();
  assert.equal((await endOfRun(rig, runId)).reason, 'exit');
  await lost.close();
});

test('an end of the connection that the other side did not bring about is a loss', () => {
  const withCode = (code: string): Error => Object.assign(new Error(code), { code });
  assert.equal(isLoss(withCode('ETIMEDOUT')), true);
  assert.equal(isLoss(withCode('EHOSTUNREACH')), true);
  assert.equal(isLoss(withCode('ECONNRESET')), false);
  assert.equal(isLoss(null), false);
});

for (const revision of revisions) {
  test(`${revision}: a gateway that stops cancels nothing`, async () => {
    await using rig = await openMcpRig();
    const { token } = await rig.makeToken();
    await using agent = await rig.connect({ token, revision });
    const ending = rig.createEnding(6);
    const waiting = agent.call('exec', { command: ending.command, yieldMs: 120_000 });
    waiting.catch(() => {});
    const runId = await runningRun(rig);
    await rig.gateway.gateway.close();
    await using again = await reopen(rig);
    ending.letGo();
    const { reason, code } = await endOfRun(
      { gateway: { url: again.url, owner: rig.gateway.owner } },
      runId,
    );
    assert.deepEqual([reason, code], ['exit', 6]);
  });
}

async function reopen({ gateway }: McpRig) {
  const { openGateway } = await import('../../src/open-gateway.ts');
  const { createSystemClock, createSystemRandom, silentLog } = await import('@clawdfather/kit');
  return openGateway(gateway.config, {
    clock: createSystemClock(),
    random: createSystemRandom(),
    log: silentLog,
  });
}

interface Network extends AsyncDisposable {
  readonly url: string;
  /* Connections break, on both sides; new ones work. */
  reset(): void;
  /* From now on nothing arrives anywhere, and nobody is told. */
  freeze(): void;
}

/* Something in between that can break. */
async function openNetwork(to: URL): Promise<Network> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connectTcp(Number(to.port), to.hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const one of pair) {
      one.on('error', () => {});
      one.once('close', () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    // The gateway is asked for by the name that it has.
    url: `http://127.0.0.1:${port}/mcp`,
    reset: () => {
      for (const [near, far] of pairs) {
        near.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    freeze: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const [near, far] of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
