/*
 * An owner killed after every single step of spawning, writing, cancelling, adopting and finalising.
 *
 * Steps are what somebody outside could notice (fixtures/crash-points.ts). Whatever the step, the next supervisor finds
 * one of the allowed outcomes and no other: it was never started and is recorded so, or not at all; it runs, is adopted
 * and nothing of its input or output is missing or doubled; it has ended with its true exit code. It is never started
 * twice, and nothing is left (S1, O2, O3, I1, J2, T5).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { hasCode } from '@clawdfather/kit';
import type { ManagedRun, Supervisor } from '@clawdfather/supervisor';
import type { OwnerProcess } from './owner-process.ts';
import { createRig, type Rig, runIdOf, textOf, untilOutput } from './rig.ts';

const runId = runIdOf('swept');
/* Says when it starts, keeps what it is told, and ends in a way of its own. */
const script = 'echo started >> lines; echo out; cat > input; echo end; exit 7';

type Outcome = 'no record' | 'never started' | 'adopted' | 'ended';

interface Scenario {
  readonly name: string;
  /* What came before: another owner, which is gone when this resolves. */
  readonly prepare?: (rig: Rig) => Promise<void>;
  readonly launcher?: 'spawnd' | 'direct';
  /* The first call whose steps count. */
  readonly from?: string;
  readonly play: (owner: OwnerProcess, rig: Rig) => Promise<void>;
  readonly judge: (rig: Rig) => Promise<Outcome>;
  /* Those that must occur, or the sweep has missed something. */
  readonly outcomes: readonly Outcome[];
}

const scenarios: readonly Scenario[] = [
  {
    name: 'spawn, input, exit, finalise',
    play: async (owner, rig) => {
      await owner.call('open');
      await owner.call('spawn', rig.sh(script, { runId }));
      await owner.call('write', runId, 'hello', true);
      await owner.call('end', runId);
      await owner.call('wait', runId);
      await owner.call('close');
    },
    judge: judgeToTheEnd,
    outcomes: ['no record', 'never started', 'adopted', 'ended'],
  },
  {
    name: 'spawn without spawnd, exit, finalise',
    launcher: 'direct',
    from: 'spawn',
    play: async (owner, rig) => {
      await owner.call('open');
      await owner.call('spawn', rig.sh(script, { runId }));
      await owner.call('end', runId);
      await owner.call('wait', runId);
    },
    judge: judgeToTheEnd,
    outcomes: ['no record', 'never started', 'adopted', 'ended'],
  },
  {
    name: 'cancel',
    from: 'cancel',
    play: async (owner, rig) => {
      await owner.call('open');
      await owner.call('spawn', rig.sh(script, { runId }));
      await rig.untilThere(join(rig.scratchDir, 'lines'));
      await owner.call('cancel', runId);
      await owner.call('wait', runId);
    },
    judge: judgeCancelled,
    outcomes: ['adopted', 'ended'],
  },
  {
    name: 'adopt, resend, input, exit, finalise',
    prepare: leaveRun,
    play: async (owner) => {
      await owner.call('open');
      await owner.call('write', runId, ' again', true);
      await owner.call('end', runId);
      await owner.call('wait', runId);
    },
    judge: judgeToTheEnd,
    outcomes: ['adopted', 'ended'],
  },
  {
    name: 'adopt and cancel',
    prepare: leaveRun,
    from: 'cancel',
    play: async (owner) => {
      await owner.call('open');
      await owner.call('cancel', runId);
      await owner.call('wait', runId);
    },
    judge: judgeCancelled,
    outcomes: ['adopted', 'ended'],
  },
];

for (const scenario of scenarios) {
  test(`S1: killed at every step of: ${scenario.name}`, async (t) => {
    const outcomes = new Set<Outcome>();
    let at = 0;
    for (let isCrashed = true; isCrashed; ) {
      at += 1;
      await t.test(`after step ${at}`, async (step) => {
        isCrashed = await crashAt(step, scenario, { at, outcomes });
      });
      assert.ok(at < 100, 'it has an end');
    }
    for (const outcome of scenario.outcomes) assert.ok(outcomes.has(outcome), `never: ${outcome}`);
  });
}

/* False when it came to its end before this step. */
async function crashAt(
  t: TestContext,
  scenario: Scenario,
  { at, outcomes }: { readonly at: number; readonly outcomes: Set<Outcome> },
): Promise<boolean> {
  const rig = createRig(t);
  await scenario.prepare?.(rig);
  const { from, launcher = 'spawnd' } = scenario;
  const crash = from === undefined ? { at } : { at, from };
  const owner = await rig.owner({ isOpened: false, launcher, crash });
  let isCrashed = false;
  try {
    await scenario.play(owner, rig);
  } catch (error) {
    if (!owner.hasEnded) throw error;
    assert.equal(await owner.ended, 'SIGKILL');
    isCrashed = true;
  }
  await owner.kill();
  const outcome = await scenario.judge(rig);
  outcomes.add(outcome);
  return isCrashed;
}

/* A run of a dead owner, with a prompt that was promised and perhaps not sent. */
async function leaveRun(rig: Rig): Promise<void> {
  const first = await rig.owner();
  await first.call('spawn', rig.sh(script, { runId }));
  await rig.untilThere(join(rig.scratchDir, 'lines'));
  await first.kill();
  rig.sql(
    "INSERT INTO input_outbox (run_id, offset, bytes) VALUES (?, 0, CAST('hello' AS BLOB))",
    runId,
  );
  rig.sql('UPDATE runs SET input_offset = 5');
}

async function judgeToTheEnd(rig: Rig): Promise<Outcome> {
  const promised = promisedInput(rig);
  const supervisor = await rig.supervisor();
  const early = await judgeStart(rig, supervisor);
  if (early !== undefined) return early;
  const isEnded = supervisor.get(runId)?.state === 'exited';
  const run = await supervisor.attach(runId);
  const added = isEnded ? '' : await addInput(run);
  const exit = await run.wait();
  assert.equal(exit.reason, 'exit');
  assert.equal(exit.code, 7);
  assert.equal(await textOf(run), 'out\nend\n');
  const input = readFileSync(join(rig.scratchDir, 'input'), 'utf8');
  assert.ok(
    promised.some((text) => input === `${text}${added}`),
    `it was told ${input}`,
  );
  return isEnded ? 'ended' : 'adopted';
}

async function judgeCancelled(rig: Rig): Promise<Outcome> {
  const isAsked = Number(rig.sql('SELECT state FROM runs')[0]?.['state']) === 2;
  const supervisor = await rig.supervisor();
  await judgeStart(rig, supervisor);
  const isEnded = supervisor.get(runId)?.state === 'exited';
  const run = await supervisor.attach(runId);
  if (!isEnded) await untilOutput(run, 'out\n');
  /* A cancel that was recorded is carried out by whoever comes next. */
  if (!isEnded && !isAsked) await run.cancel();
  const exit = await run.wait();
  assert.equal(exit.reason, 'manual-cancel');
  return isEnded ? 'ended' : 'adopted';
}

/* Started at most once; and if never, the record says so and no directory waits for a shim. */
async function judgeStart(rig: Rig, supervisor: Supervisor): Promise<Outcome | undefined> {
  const record = supervisor.get(runId);
  if (record !== undefined && record.exit?.reason !== 'reconciled-stale') {
    await rig.untilThere(join(rig.scratchDir, 'lines'));
    assert.equal(readFileSync(join(rig.scratchDir, 'lines'), 'utf8'), 'started\n');
    return undefined;
  }
  assert.equal(existsSync(join(rig.scratchDir, 'lines')), false);
  if (record === undefined) return 'no record';
  assert.equal(record.startedAtMs, undefined);
  assert.equal(existsSync(join(rig.stateDir, 'runs', runId)), false);
  return 'never started';
}

/* Before the next supervisor comes: what was committed is promised; what was under way may or may not be. */
function promisedInput(rig: Rig): readonly string[] {
  if (!existsSync(join(rig.stateDir, 'registry.db'))) return [''];
  const tables = rig.sql("SELECT name FROM sqlite_master WHERE name = 'runs'");
  if (tables.length === 0) return [''];
  const whole = 'hello again';
  const [row] = rig.sql('SELECT input_offset AS offset FROM runs');
  return [whole.slice(0, Number(row?.['offset'] ?? 0))];
}

/* What the run takes of it: nothing, when its input is closed already. */
async function addInput(run: ManagedRun): Promise<string> {
  try {
    await run.write(' and more', { durable: true });
    await run.end();
    return ' and more';
  } catch (error) {
    assert.ok(hasCode(error, 'stdin-closed') || hasCode(error, 'not-running'), String(error));
    return '';
  }
}
