/*
 * Doctor says whether notifications can reach a phone, and what to set when they cannot.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/config.ts';
import { checkPush } from '../../src/doctor/push-check.ts';

function look(values: { publicUrl?: string; contact?: string }) {
  const settings = {
    'gateway.publicUrl': values.publicUrl,
    'notify.push.contact': values.contact,
  };
  return checkPush({ values: settings as unknown as Config['values'] });
}

test('a public address is enough, and a contact of its own is told instead', () => {
  const publicUrl = 'https://clawd.your-domain.org';
  assert.equal(look({ publicUrl }).status, 'ok');
  const { status, summary } = look({ publicUrl, contact: 'mailto:me@your-domain.org' });
  assert.equal(status, 'ok');
  assert.match(summary, /mailto:me@your-domain\.org/);
});

test('without a public https address nothing can reach a phone', () => {
  for (const publicUrl of [undefined, 'http://192.168.1.7:8420']) {
    const { status, advice } = look(publicUrl === undefined ? {} : { publicUrl });
    assert.equal(status, 'info');
    assert.match(advice ?? '', /gateway\.publicUrl/);
  }
});

for (const contact of [
  'mailto:me@localhost',
  'mailto:me@box',
  'mailto:me@box.local',
  'mailto:me@192.168.1.7',
  'https://127.0.0.1/',
  'https://[fd00::1]/',
]) {
  test(`Apple would refuse ${contact}, and doctor says what to set instead`, () => {
    const { status, advice } = look({ publicUrl: 'https://clawd.your-domain.org', contact });
    assert.equal(status, 'warn');
    assert.match(advice ?? '', /notify\.push\.contact/);
  });
}

test('a public address that is none on the internet needs a contact', () => {
  const publicUrl = 'https://box.lan';
  assert.equal(look({ publicUrl }).status, 'warn');
  assert.equal(look({ publicUrl, contact: 'mailto:me@your-domain.org' }).status, 'ok');
});
