/*
 * Ends in words, as `run` and `wait` say them and `show` lists them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminationReasons } from '@clawdfather/kit';
import { formatEnd, formatExitNotice } from '../../src/render/exit-text.ts';
import { factsOf } from '../../src/render/run-facts.ts';
import { exitWith, recordWith } from '../support/records.ts';

const deadlines = { overallMs: 60_000, noOutputMs: 5_000 };
const detail = 'the connection to the host was lost. The host closed it.';
const lost = exitWith({ code: 255, hostCause: 'host-closed', detail });

test('a command that was lost with its host says so, and why', () => {
  const words = 'lost: the connection to the host was lost. The host closed it. (host-closed)';
  assert.equal(formatExitNotice(lost, deadlines), words);
  assert.equal(formatEnd(lost, deadlines), words);
});

test('an exit code that the command chose itself needs no notice', () => {
  assert.equal(formatExitNotice(exitWith({ code: 255 }), deadlines), undefined);
  assert.equal(formatEnd(exitWith({ code: 255 }), deadlines), 'ended by itself with exit code 255');
});

test('the facts of a lost command have its cause', () => {
  const run = recordWith({ state: 'exited', exit: lost });
  const details = {
    shimPid: undefined,
    graceMs: undefined,
    limits: {},
    lastOutputAtMs: undefined,
    outputBytes: 0,
    droppedBytes: 0,
  };
  const facts = new Map(factsOf({ run, details, stall: undefined, flag: '' }));
  assert.equal(facts.get('host cause'), 'host-closed');
  assert.equal(facts.get('detail'), detail);
  assert.equal(facts.get('exit code'), 255);
});

test('no words of a gateway reach the terminal as they are', () => {
  for (const reason of terminationReasons) {
    const spoiled = '\u001b[2Jx';
    const exit = exitWith({ reason, hostCause: spoiled, detail: spoiled, actor: spoiled });
    assert.ok(!formatEnd(exit, deadlines).includes('\u001b'), reason);
  }
});
