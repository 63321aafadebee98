/*
 * What a signer binds and signs: the one right request, and a refusal with its reason for each thing that may be wrong with it.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAgentRequest, type SessionBind } from '../../src/signer/agent-messages.ts';
import {
  type BindState,
  decideBind,
  decideSign,
  type Refusal,
  type SignerPurpose,
} from '../../src/signer/decide.ts';
import { parseUserauthRequest } from '../../src/signer/userauth-request.ts';
import { join, makeHost } from '../rig/host-signer.ts';
import { type BindFields, bindMessage, hostbound } from '../rig/login-messages.ts';
import { loginData, type LoginFields, signMessage } from '../rig/login-messages.ts';

const [host, stranger] = [makeHost(), makeHost()];
const keyBlob = join('ssh-ed25519', randomBytes(32));
const sessionId = randomBytes(32);
const purpose: SignerPurpose = {
  keyBlobs: [keyBlob],
  pinnedHostKeys: [host.blob],
  username: 'ann',
};
const bound = { hostKey: host.blob, sessionId };
const fresh: BindState = { bound: undefined, session: undefined };

function parseBind(fields: Partial<BindFields> = {}): SessionBind {
  const request = parseAgentRequest(bindMessage({ host, sessionId, ...fields }));
  assert.ok(request.kind === 'bind');
  return request.bind;
}

const refusedBind = (fields: Partial<BindFields>, state = fresh): Refusal | undefined =>
  decideBind(parseBind(fields), state, purpose);

function refusedSign(fields: Partial<LoginFields>, flags = 0): Refusal | undefined {
  const data = loginData({ sessionId, keyBlob, ...fields });
  return refusedData(data, flags);
}

function refusedData(data: Buffer, flags = 0): Refusal | undefined {
  return decideSign({ keyBlob, data, flags }, bound, purpose);
}

test('the pinned host is bound', () => {
  assert.equal(refusedBind({}), undefined);
  const state = { bound: undefined, session: bound };
  assert.equal(refusedBind({}, state), undefined, 'the same session on a second connection');
});

test('SG1: another host, a borrowed signature, a signature of another session bind nothing', () => {
  assert.equal(refusedBind({ host: stranger }), 'host-key-not-pinned');
  assert.equal(refusedBind({ signature: stranger.sign(sessionId) }), 'host-signature-bad');
  assert.equal(refusedBind({ signature: host.sign(randomBytes(32)) }), 'host-signature-bad');
  assert.equal(refusedBind({ signature: Buffer.alloc(0) }), 'host-signature-bad');
  const none = { ...purpose, pinnedHostKeys: [] };
  assert.equal(decideBind(parseBind(), fresh, none), 'host-key-not-pinned');
});

test('SG2: a good bind of another session of the same host is refused once one is bound', () => {
  const state = { bound: undefined, session: bound };
  assert.equal(refusedBind({ sessionId: randomBytes(32) }, state), 'session-differs');
  assert.equal(refusedBind({}, { bound, session: bound }), 'bound-twice');
});

test('SG4: a forwarded agent is not bound', () => {
  assert.equal(refusedBind({ forwarding: 1 }), 'forwarding');
});

test('an id that no hash has is no session', () => {
  for (const length of [0, 19, 65]) {
    assert.equal(refusedBind({ sessionId: randomBytes(length) }), 'malformed');
  }
});

test('SG3: a login of this session, user and key is signed, plain and hostbound', () => {
  assert.equal(refusedSign({}), undefined);
  assert.equal(refusedSign({ method: hostbound, hostKey: host.blob }), undefined);
});

test('SG3: each field that is another is refused by its name', () => {
  const other = join('ssh-ed25519', randomBytes(32));
  assert.equal(refusedSign({ sessionId: randomBytes(32) }), 'session-differs');
  assert.equal(refusedSign({ user: 'root' }), 'user-differs');
  assert.equal(refusedSign({ user: 'ann\0' }), 'data-unknown');
  assert.equal(refusedSign({ service: 'ssh-userauth' }), 'service-differs');
  assert.equal(refusedSign({ method: 'publickey-other' }), 'method-unknown');
  assert.equal(refusedSign({ algorithm: 'ssh-rsa' }), 'key-differs');
  assert.equal(refusedSign({ keyBlob: other }), 'key-differs');
  assert.equal(refusedSign({ method: hostbound, hostKey: stranger.blob }), 'host-key-differs');
  assert.equal(refusedSign({ method: hostbound }), 'data-unknown', 'the host key is missing');
  assert.equal(refusedSign({ hostKey: host.blob }), 'data-unknown', 'plain has no host key');
  assert.equal(refusedSign({ number: 51 }), 'data-unknown');
  assert.equal(refusedSign({ isSigned: 0 }), 'data-unknown');
  assert.equal(refusedSign({}, 4), 'flags-unknown');
  const asked = { keyBlob: other, data: loginData({ sessionId, keyBlob }), flags: 0 };
  assert.equal(decideSign(asked, bound, purpose), 'key-differs');
  assert.equal(decideSign({ ...asked, keyBlob }, undefined, purpose), 'not-bound');
});

test('of two keys each signs its own requests and not those of the other', () => {
  const other = join('ssh-ed25519', randomBytes(32));
  const both = { ...purpose, keyBlobs: [other, keyBlob] };
  for (const asked of [keyBlob, other]) {
    for (const named of [keyBlob, other]) {
      const data = loginData({ sessionId, keyBlob: named });
      const refusal = decideSign({ keyBlob: asked, data, flags: 0 }, bound, both);
      assert.equal(refusal, asked === named ? undefined : 'key-differs');
    }
  }
});

test('data of other protocols is refused: a signed file, a git commit, random bytes', () => {
  assert.equal(
    refusedData(Buffer.concat([Buffer.from('SSHSIG'), join('git', '', 'sha512')])),
    'data-unknown',
  );
  assert.equal(refusedData(Buffer.alloc(0)), 'data-unknown');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      assert.notEqual(refusedData(Buffer.from(bytes)), undefined);
    }),
  );
});

test('one changed byte of the one right request is refused', () => {
  for (const fields of [{}, { method: hostbound, hostKey: host.blob }]) {
    const data = loginData({ sessionId, keyBlob, ...fields });
    for (let at = 0; at < data.length; at += 1) {
      for (const bit of [1, 0x80]) {
        const changed = Buffer.from(data);
        changed[at] = (changed[at] ?? 0) ^ bit;
        assert.notEqual(refusedData(changed), undefined, `byte ${at}`);
      }
    }
  }
});

test('a request that was parsed is the request that was written', () => {
  const name = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
  const blob = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  const fields = fc.record({
    id: blob,
    user: name,
    service: name,
    key: blob,
    hostKey: fc.option(blob),
  });
  fc.assert(
    fc.property(fields, ({ id, user, service, key, hostKey }) => {
      const parsed = parseUserauthRequest(
        loginData({
          sessionId: id,
          user,
          service,
          keyBlob: key,
          ...(hostKey === null ? {} : { method: hostbound, hostKey }),
        }),
      );
      assert.deepEqual(parsed, {
        sessionId: id,
        user,
        service,
        keyBlob: key,
        algorithm: 'ssh-ed25519',
        method: hostKey === null ? 'publickey' : hostbound,
        hostKey: hostKey ?? undefined,
      });
    }),
  );
});

test('agent messages: what is cut or goes on is malformed, what is not ours is unknown', () => {
  const whole = [bindMessage({ host, sessionId }), signMessage(keyBlob, Buffer.from('x'))];
  for (const message of whole) {
    assert.equal(parseAgentRequest(message.subarray(0, -1)).kind, 'malformed');
    assert.equal(parseAgentRequest(Buffer.concat([message, Buffer.from([0])])).kind, 'malformed');
  }
  assert.equal(parseAgentRequest(Buffer.from([11])).kind, 'identities');
  assert.equal(parseAgentRequest(Buffer.from([11, 0])).kind, 'malformed');
  const extension = Buffer.concat([Buffer.from([27]), join('query')]);
  assert.equal(parseAgentRequest(extension).kind, 'unknown');
  for (const number of [0, 1, 9, 17, 18, 19, 20, 22, 23, 25, 26, 255]) {
    assert.equal(parseAgentRequest(Buffer.from([number])).kind, 'unknown');
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      parseAgentRequest(Buffer.from(bytes));
    }),
  );
});
