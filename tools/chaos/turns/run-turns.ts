/*
 * A campaign of turns: gateways are killed with -9 while agents answer; one last gateway finishes everything; then the verdict.
 *
 * To make a kill cheap, the gateway is joined into one file, compiled once, and the next one loads while the current one works: what is left of a
 * start is what a gateway does itself. Agents live through many kills.
 */
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openStore, parseAccountId, type Store } from '@clawdfather/store';
import { createSupervisor } from '@clawdfather/supervisor';
import { joinModules } from '../../tasks/join-modules.ts';
import { findProcessesOf } from '../campaign/process-facts.ts';
import { type Chance, createChance } from '../plan/chance.ts';
import type { Violation } from '../verify/violation.ts';
import { type CheckedThread, checkThread } from './check-turns.ts';
import { beginFramesLog, readFramesLog } from './frames-log.ts';
import { startTurnsGateway, type TurnsGateway } from './gateway-child.ts';
import { placesIn, type TurnsSettings } from './settings.ts';

export interface TurnsCampaign {
  readonly dir: string;
  readonly kills: number;
  readonly seed: number;
  readonly onProgress: (text: string) => void;
}

export interface TurnsOutcome {
  readonly violations: readonly Violation[];
  readonly kills: number;
  readonly threads: number;
  readonly turns: number;
  readonly asks: number;
  readonly textBytes: number;
  readonly ms: number;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
/* From the moment that it opens: a fifth of the kills meet it there. */
const openingMsMax = 60;
/* From when it works: not by time, so that a slow machine does as much between two kills. A turn has about a dozen. */
const pointsMax = 40;
/* So that it is met between points, too. */
const afterPointMsMax = 4;
const lastMsMax = 180_000;
const lingerMsMax = 10_000;
const lookMs = 20;
const deps = { clock: createSystemClock(), random: createSystemRandom(), log: silentLog };

export async function runTurns(campaign: TurnsCampaign): Promise<TurnsOutcome> {
  const { dir, kills, seed, onProgress } = campaign;
  const startMs = deps.clock.monotonicMs();
  const accountId = await prepare(dir);
  const chance = createChance(seed);
  const violations: Violation[] = [];
  const settingsOf = (choice: number): TurnsSettings => ({
    dir,
    accountId,
    choice,
    isLast: choice === kills,
  });
  let gateway = startTurnsGateway(settingsOf(0));
  for (let kill = 0; kill < kills; kill += 1) {
    // Loads while the current one works.
    const next = startTurnsGateway(settingsOf(kill + 1));
    await liveAndDie(gateway, chance);
    violations.push(...failuresOf(gateway));
    gateway = next;
    onProgress(`${kill + 1} of ${kills} gateways killed`);
  }
  onProgress('the last gateway finishes what is left');
  violations.push(...(await finish(gateway)));
  const verdict = await verify(dir, accountId);
  const ms = deps.clock.monotonicMs() - startMs;
  return { ...verdict, violations: [...violations, ...verdict.violations], kills, ms };
}

async function prepare(dir: string): Promise<string> {
  const places = placesIn(dir);
  for (const one of [places.stateDir, places.traces, places.effects]) {
    mkdirSync(one, { mode: 0o700 });
  }
  const program = 'tools/chaos/turns/gateway.ts';
  await joinModules(root, places.bundle, { program, readFrom: places.bundle });
  const store = await openOwn(dir);
  const audit = { action: 'chaos', actor: 'chaos' };
  const { id } = await store.system.accounts.ensureOwner({ displayName: 'Owner', audit });
  await store.close();
  beginFramesLog(places.database);
  return id;
}

function openOwn(dir: string): Promise<Store> {
  return openStore({ kind: 'sqlite', path: placesIn(dir).database }, deps);
}

async function liveAndDie(gateway: TurnsGateway, chance: Chance): Promise<void> {
  await gateway.loaded;
  gateway.go();
  if (chance.isLucky(0.2)) await sleep(chance.between(0, openingMsMax));
  else {
    await gateway.ready;
    await gateway.passed(chance.between(0, pointsMax));
    await sleep(chance.between(0, afterPointMsMax));
  }
  await gateway.kill();
}

function failuresOf({ failures }: TurnsGateway): readonly Violation[] {
  return failures.map((what) => ({ rule: 'a gateway could go on', what }));
}

async function finish(gateway: TurnsGateway): Promise<readonly Violation[]> {
  await gateway.loaded;
  gateway.go();
  const late = new AbortController();
  const isLate = sleep(lastMsMax, 'late' as const, { signal: late.signal }).catch(() => undefined);
  await Promise.race([gateway.ended, isLate]);
  late.abort();
  if (!gateway.isFinished()) await gateway.kill();
  const failures = failuresOf(gateway);
  if (gateway.isFinished() || failures.length > 0) return failures;
  return [{ rule: 'everything ends', what: `the last gateway was not done in ${lastMsMax} ms` }];
}

async function verify(
  dir: string,
  accountId: string,
): Promise<Pick<TurnsOutcome, 'violations' | 'threads' | 'turns' | 'asks' | 'textBytes'>> {
  const left = await checkProcesses(dir);
  const store = await openOwn(dir);
  const { threads: records } = store.forAccount(parseAccountId(accountId));
  const frames = readFramesLog(placesIn(dir).database);
  const checked: CheckedThread[] = [];
  for (let offset = 0; ; ) {
    const { items } = await records.list({ includeArchived: true, limit: 100, offset });
    for (const thread of items) checked.push(await checkThread({ dir, records, frames }, thread));
    offset += items.length;
    if (items.length === 0) break;
  }
  await store.close();
  const sum = (count: (one: CheckedThread) => number): number =>
    checked.reduce((total, one) => total + count(one), 0);
  return {
    violations: [...left, ...checked.flatMap((one) => one.violations)],
    threads: checked.length,
    turns: sum(({ turns }) => turns),
    asks: sum(({ asks }) => asks),
    textBytes: sum(({ textBytes }) => textBytes),
  };
}

/* Agents, shims and spawnds of the campaign: none may be left. What is, is ended, and told. */
async function checkProcesses(dir: string): Promise<readonly Violation[]> {
  const { stateDir } = placesIn(dir);
  const supervisor = await createSupervisor({ stateDir, adoption: 'adopt' });
  const { instanceId } = supervisor;
  const violations: Violation[] = [];
  for (const { runId, treeEndedAtMs } of supervisor.list({ limit: 1_000_000 })) {
    if (treeEndedAtMs !== undefined) continue;
    violations.push({ rule: 'no agent is left', runId, what: 'it lives' });
    const run = await supervisor.attach(runId);
    await run.cancel();
    await run.waitTree();
  }
  await supervisor.close();
  for (let waitedMs = 0; waitedMs <= lingerMsMax; waitedMs += lookMs) {
    if (findProcessesOf(instanceId, stateDir).length === 0) return violations;
    await sleep(lookMs);
  }
  const left = findProcessesOf(instanceId, stateDir).map(({ name, pid }) => `${name} (${pid})`);
  return [...violations, { rule: 'no process is left', what: left.join(', ') }];
}
