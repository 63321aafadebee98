/*
 * What the command line does when a gateway does not answer, answers nonsense, or sends text that a terminal would obey.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '@clawdfather/kit';
import { RefusedError, SdkError } from '@clawdfather/sdk';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { openPatience } from '../../src/place/gateway/patience.ts';
import { startedOnce } from '../../src/place/gateway/retried.ts';
import { type RunAnswer, runOf } from '../../src/place/gateway/run-of-answer.ts';
import { formatErrorText } from '../../src/render/error-text.ts';
import { createPaint } from '../../src/render/paint.ts';

function unreachable(errno: string): SdkError {
  const cause = Object.assign(new Error('connect'), { code: errno });
  return new SdkError('gateway-unreachable', 'no answer', { cause });
}

function starting(errors: readonly SdkError[]) {
  const clock = createFakeClock();
  const stop = new AbortController();
  let asked = 0;
  const ask = async (): Promise<string> => {
    const error = errors[asked];
    asked += 1;
    if (error !== undefined) throw error;
    return 'started';
  };
  const deps = { clock, random: createSeededRandom(1), onLink: () => {} };
  const started = startedOnce(deps, ask, stop.signal);
  started.catch(() => {});
  return { clock, stop, started, asked: () => asked };
}

test('a start that never reached a gateway is not asked for again', async () => {
  const { started, asked } = starting([unreachable('ECONNREFUSED')]);
  await assert.rejects(started, /no answer/);
  assert.equal(asked(), 1);
});

test('a start that a full disk refuses is not asked for again, and nothing is said of the connection', async () => {
  const refusal = {
    status: 507,
    code: 'storage_full',
    retryAfterMs: undefined,
    traceId: undefined,
  };
  const full = new RefusedError('no room left on the disk', { refusal, detail: {} });
  const { started, asked } = starting([full]);
  await assert.rejects(started, /no room left/);
  assert.equal(asked(), 1);
});

test('a start whose answer was lost is asked for again, a few times', async () => {
  const lost = unreachable('ECONNRESET');
  const lucky = starting([lost, unreachable('ECONNREFUSED')]);
  await lucky.clock.advance(10_000);
  assert.equal(await lucky.started, 'started');
  assert.equal(lucky.asked(), 3);
  const never = starting(Array.from({ length: 50 }, () => lost));
  await never.clock.advance(600_000);
  await assert.rejects(never.started, /no answer/);
  assert.equal(never.asked(), 5);
});

test('what was given up is waited for a few seconds, and no longer', async () => {
  const clock = createFakeClock();
  const givenUp = new AbortController();
  using patience = openPatience(clock, givenUp.signal);
  await clock.advance(60_000);
  assert.equal(patience.over.aborted, false, 'nobody has given up yet');
  givenUp.abort();
  await clock.advance(4_000);
  assert.equal(patience.over.aborted, false);
  await clock.advance(2_000);
  assert.equal(patience.over.aborted, true);
});

test('an id that is none is refused before anything shows it', () => {
  for (const runId of ['', 'a\u001b[2J', '../up', 'A', 'x'.repeat(32)]) {
    assert.throws(() => runOf({ runId } as RunAnswer), /no id/);
  }
});

test('a code that a gateway made up reaches no terminal as it is', () => {
  const text = formatErrorText(new CodedError('\u001b]0;x\u0007', 'refused'), createPaint(false));
  assert.ok(!text.includes('\u001b'), JSON.stringify(text));
});
