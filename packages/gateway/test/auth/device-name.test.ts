/*
 * What a device is called when it did not say.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceNameOf } from '../../src/auth/device-name.ts';

const phone =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36';
const names = [
  [phone, 'Chrome on Android'],
  [`${phone} Edg/140.0`, 'Edge on Android'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
    'Safari on iPhone',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Safari/605', 'Safari on Mac'],
  ['Windows-Update', 'Windows'],
  ['curl/8.9', 'unnamed device'],
  [undefined, 'unnamed device'],
] as const;

for (const [userAgent, name] of names) {
  test(`${name}, from "${userAgent?.slice(0, 30) ?? 'nothing'}"`, () => {
    assert.equal(deviceNameOf(userAgent), name);
  });
}
