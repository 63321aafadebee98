/*
 * Messages are encrypted as RFC 8291 has it: by the standard's own example. A library
 * that is not ours opens what is sent in send-push.test.ts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import {
  encryptMessage,
  messageBytesMax,
  newIngredients,
  parseBrowserKeys,
} from '../../../src/notices/channels/push/encrypt-message.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

/* RFC 8291, section 5 and appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  sent: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

test('the example of the standard comes out byte for byte', () => {
  const keys = parseBrowserKeys(example);
  assert.ok(keys);
  const sent = encryptMessage(Buffer.from(example.text), keys, {
    salt: bytes(example.salt),
    privateKey: bytes(example.privateKey),
  });
  assert.equal(sent.toString('base64url'), example.sent);
});

test('messages of every length that we send are equally long, and none is like another', () => {
  const keys = parseBrowserKeys(example);
  assert.ok(keys);
  const sealed = ['', 'x', 'x'.repeat(900)].map((text) =>
    encryptMessage(Buffer.from(text), keys, {
      ...newIngredients(createSystemRandom()),
      paddedBytes: messageBytesMax,
    }),
  );
  assert.equal(new Set(sealed.map(({ length }) => length)).size, 1);
  // As docs/notices.md says.
  assert.equal(sealed[0]?.length, 1_127);
  assert.equal(new Set(sealed.map((one) => one.toString('hex'))).size, 3);
});

test('what is no point of the curve, or no secret of sixteen bytes, is no key of a browser', () => {
  const { p256dh, auth } = example;
  const point = bytes(p256dh);
  const moved = Buffer.from(point);
  moved[64] = (moved[64] ?? 0) ^ 1;
  for (const wrong of [
    { p256dh: moved.toString('base64url'), auth },
    { p256dh: Buffer.alloc(65).toString('base64url'), auth },
    { p256dh: point.subarray(0, 33).toString('base64url'), auth },
    { p256dh: Buffer.concat([Buffer.of(4), Buffer.alloc(64)]).toString('base64url'), auth },
    { p256dh, auth: 'AAAA' },
    { p256dh: '', auth: '' },
  ]) {
    assert.equal(parseBrowserKeys(wrong), undefined, JSON.stringify(wrong));
  }
});
