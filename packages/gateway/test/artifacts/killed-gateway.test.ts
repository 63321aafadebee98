/*
 * A gateway that is killed in the moment that a turn ends, again and again: the next one finishes the look, once.
 */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { untilSynced } from './until-synced.ts';

test('what turns leave is kept once, whenever a gateway is killed', {
  timeout: 120_000,
}, async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-killed-'));
  const project = join(directory, 'project');
  await mkdir(project);
  let gateway = await startGatewayProcess(directory);
  // In this order: without the directory, its runs are not found.
  context.after(async () => {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  });
  const talk = createTalk(() => gateway.me);
  await talk.begin({ directory: project });
  for (let round = 1; round <= 3; round += 1) {
    const turn = await talk.say(`file: reports/${round}.txt round ${round}`);
    await talk.until(isEndOf(turn));
    await gateway.end('SIGKILL');
    gateway = await startGatewayProcess(directory);
    const { items, artifact_sync: sync } = await untilSynced(gateway.me, turn);
    assert.equal(sync.status, 'synced');
    assert.equal(items.length, round);
    const response = await fetch(new URL(items[round - 1].download_url, gateway.url));
    assert.equal(await response.text(), `round ${round}`);
    await talk.until(({ type, turn_id }) => type === 'artifact' && turn_id === turn);
    const told = talk.events.filter(({ type, turn_id }) => type === 'artifact' && turn_id === turn);
    assert.equal(told.length, 1);
    assert.equal((await gateway.me.get(`turns/${turn}`)).body['turn'].status, 'completed');
  }
});
