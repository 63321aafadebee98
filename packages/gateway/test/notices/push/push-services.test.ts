/*
 * A push is sent to the push services of browsers and nowhere else, however an address is written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPushServices } from '../../../src/notices/channels/push/push-services.ts';

const services = createPushServices();

for (const endpoint of [
  'https://fcm.googleapis.com/fcm/send/abc:def',
  'https://web.push.apple.com/QGuQyavXutnMBHQEmb',
  'https://api.web.push.apple.com/x',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAA',
  'https://wns2-by3p.notify.windows.com/w/?token=BQYA',
  'https://FCM.googleapis.com:443/fcm/send/x',
]) {
  test(`${endpoint} is the address of a browser`, () => {
    assert.equal(services.parse(endpoint)?.href, new URL(endpoint).href);
  });
}

const hosts = [
  // Spellings of this machine.
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '127.1',
  '0177.0.0.1',
  '0',
  'localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  // Networks, metadata, and others.
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '[fd00::1]',
  'metadata.google.internal',
  'example.org',
  // Names that look like those in the list.
  'fcm.googleapis.com.evil.example',
  'evilfcm.googleapis.com',
  'x.fcm.googleapis.com',
  'storage.googleapis.com',
  'fcm.googleapis.com.',
  'push.apple.com',
  'notweb.push.apple.com.evil.example',
  'evilpush.services.mozilla.com',
  'push.services.mozilla.com.evil.example',
  'notify.windows.com',
  'evilnotify.windows.com',
  'fcm.googleapis.com@127.0.0.1',
  '127.0.0.1#fcm.googleapis.com',
  '127.0.0.1\\@fcm.googleapis.com',
  '127.0.0.1%2f@fcm.googleapis.com',
];

for (const host of hosts) {
  test(`nothing is sent to ${host}`, () => {
    assert.equal(services.parse(`https://${host}/x`), undefined);
  });
}

for (const endpoint of [
  'http://fcm.googleapis.com/x',
  'https://fcm.googleapis.com:8443/x',
  'https://user@fcm.googleapis.com/x',
  'https://user:secret@fcm.googleapis.com/x',
  'https://fcm.googleapis.com/x#fragment',
  'ftp://fcm.googleapis.com/x',
  'file:///etc/passwd',
  'data:,x',
  '//fcm.googleapis.com/x',
  'fcm.googleapis.com/x',
  '',
]) {
  test(`${JSON.stringify(endpoint)} is refused`, () => {
    assert.equal(services.parse(endpoint), undefined);
  });
}

test('an origin of the settings is taken word for word, with its port', () => {
  const mine = createPushServices(['http://127.0.0.1:7000']);
  assert.ok(mine.parse('http://127.0.0.1:7000/x'));
  for (const endpoint of [
    'http://127.0.0.1:7001/x',
    'https://127.0.0.1:7000/x',
    'http://localhost:7000/x',
    'http://a@127.0.0.1:7000/x',
  ]) {
    assert.equal(mine.parse(endpoint), undefined, endpoint);
  }
});
