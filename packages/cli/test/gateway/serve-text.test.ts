/*
 * What `clf serve` says: the commands that it names are such as can be typed where it was started.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatServing, type ServeFacts } from '../../src/gateway/serve-text.ts';
import { createPaint } from '../../src/render/paint.ts';

const facts: ServeFacts = {
  url: 'http://127.0.0.1:8420',
  publicUrl: undefined,
  loginLink: undefined,
  qr: undefined,
  isLoopback: true,
  isByNpm: false,
  stateFlag: '',
};

test('in a checkout, where clf is on nobody’s path, the next commands are called through npx', () => {
  const next = (isByNpm: boolean): string[] =>
    formatServing({ ...facts, isByNpm }, createPaint(false)).match(/^ +(npx )?clf \w+.*$/gm) ?? [];
  assert.equal(next(true).length, 3);
  assert.ok(next(true).every((line) => line.startsWith('    npx clf ')));
  assert.equal(next(false).length, 3);
  assert.ok(next(false).every((line) => line.startsWith('    clf ')));
});

test('the next commands are about the state directory that this gateway has', () => {
  const text = formatServing({ ...facts, stateFlag: ' --state-dir /tmp/s' }, createPaint(false));
  assert.match(text, /^ {4}clf login --state-dir \/tmp\/s {3,}use it from the command line$/m);
  assert.match(text, /^ {4}clf run --state-dir \/tmp\/s -- make test {2}start something/m);
  assert.match(text, /^ {4}clf status --state-dir \/tmp\/s {3,}how it is$/m);
  assert.match(text, /clf login --link --state-dir \/tmp\/s\n/);
});

test('who has given no public address is told that other machines need one', () => {
  const said = (some: Partial<ServeFacts>): string =>
    formatServing({ ...facts, ...some }, createPaint(false));
  assert.match(said({}), /Only this machine[^]*--public-url[^]*docs\/app\.md/);
  assert.match(said({ isLoopback: false }), /other machines are refused[^]*--public-url/);
  assert.doesNotMatch(said({ publicUrl: 'https://box.example' }), /--public-url/);
});
