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
};

test('in a checkout, where clf is on nobody’s path, the next commands are called through npx', () => {
  const next = (isByNpm: boolean): string[] =>
    formatServing({ ...facts, isByNpm }, createPaint(false)).match(/^ +(npx )?clf \w+.*$/gm) ?? [];
  assert.equal(next(true).length, 3);
  assert.ok(next(true).every((line) => line.startsWith('    npx clf ')));
  assert.equal(next(false).length, 3);
  assert.ok(next(false).every((line) => line.startsWith('    clf ')));
});

test('who has given no public address is told that other machines need one', () => {
  const said = (some: Partial<ServeFacts>): string =>
    formatServing({ ...facts, ...some }, createPaint(false));
  assert.match(said({}), /Only this machine[^]*--public-url/);
  assert.match(said({ isLoopback: false }), /other machines are refused[^]*--public-url/);
  assert.doesNotMatch(said({ publicUrl: 'https://box.example' }), /--public-url/);
});
