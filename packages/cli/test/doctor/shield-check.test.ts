/*
 * What doctor says of the shield, for each kind of machine and setting.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shieldStateOf } from '@clawdfather/tools';
import { checkShield } from '../../src/doctor/shield-check.ts';

const whole = { landlock: 7, why: undefined, hasNamespaces: true, whyNoNamespaces: undefined };
const usual = { mode: 'on', hide: [], open: [], write: [] } as const;

function said(support: typeof whole | object, settings: object = {}) {
  const all = { ...usual, ...settings };
  return checkShield(shieldStateOf({ ...whole, ...support }, all), all);
}

test('full where there is everything, and the words say so', () => {
  const { status, summary } = said({});
  assert.equal(status, 'ok');
  assert.match(summary, /^full: /);
});

test('less than full is a warning that names what is missing and what follows', () => {
  const old = said({ landlock: 4 });
  assert.equal(old.status, 'warn');
  assert.match(old.summary, /^partial: .*6\.12.*asked about$/);
  const alone = said({ hasNamespaces: false, whyNoNamespaces: 'Operation not permitted' });
  assert.match(alone.summary, /mounts of their own \(Operation not permitted\)/);
  const nothing = said({ landlock: 0, why: 'off', hasNamespaces: false, whyNoNamespaces: 'no' });
  assert.match(nothing.summary, /^none: /);
  assert.match(said({ landlock: 4 }, { mode: 'require' }).summary, /agents start nothing$/);
});

test('what a person opened is named, and never called full alone', () => {
  const { status, summary } = said({}, { open: ['docker', 'ssh'] });
  assert.equal(status, 'info');
  assert.match(summary, /^full, but docker is open .*equals full access.*; ssh is open/);
});

test('switched off is a warning', () => {
  const { status, summary } = said({}, { mode: 'off' });
  assert.equal(status, 'warn');
  assert.match(summary, /can read our secrets/);
});
