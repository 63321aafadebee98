/*
 * The QR code on a terminal: dark on light whatever the theme, and none where it would be torn.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawQr, isForPhones } from '../../src/gateway/draw-qr.ts';

const link = 'http://127.0.0.1:8420/login#clf-link=yxibZ95JtoUavZ7xTDuvQZsysP_OJfMwv7-yCZoU3fc';

test('every line is as wide as the next, sets its colours and puts them back', () => {
  const lines = (drawQr(link, 100) ?? '').split('\n');
  assert.ok(lines.length > 15);
  const widths = lines.map((line) => {
    const inner = line.slice('\u001b[30;47m'.length, -'\u001b[0m'.length);
    assert.equal(line, `\u001b[30;47m${inner}\u001b[0m`);
    assert.match(inner, /^[ █▀▄]+$/);
    return inner.length;
  });
  assert.equal(new Set(widths).size, 1);
  assert.equal(Math.ceil((widths[0] ?? 0) / 2), lines.length, 'two rows in one line');
});

test('the three eyes are where a camera looks for them', () => {
  const rows = (drawQr(link, 100) ?? '').split('\n').map((line) => line.slice(8, -4));
  const eye = '█▀▀▀▀▀█';
  assert.equal(rows[1]?.slice(2, 9), eye);
  assert.equal(rows[1]?.slice(-9, -2), eye);
  assert.ok(rows.slice(-6).some((row) => row.slice(2, 9) === eye));
});

test('a terminal that is too narrow gets none', () => {
  assert.equal(drawQr(link, 20), undefined);
});

test('a phone gets a picture only of an address that it can open', () => {
  for (const url of [
    undefined,
    'http://127.0.0.1:8420',
    'http://127.8.8.8',
    'http://localhost:8420',
    'https://box.localhost',
    'http://[::1]:8420',
    'http://0.0.0.0:8420',
    'not an address',
  ]) {
    assert.equal(isForPhones(url), false, url);
  }
  for (const url of ['https://box.example', 'http://192.168.1.5:8420', 'https://[fd00::5]']) {
    assert.equal(isForPhones(url), true, url);
  }
});
