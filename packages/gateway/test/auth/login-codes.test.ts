/*
 * One device lets another one in: by code and by link, over one gateway and over two, with a thief, a guesser, a lost answer and a clock.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { openGateway } from '../../src/open-gateway.ts';
import { type Answer, createAsk } from '../fixtures/api-client.ts';
import { type Browser, createBrowser } from '../fixtures/browser.ts';
import {
  addDevice,
  openTestGateway,
  sharedWith,
  systemDeps,
  type TestGateway,
  testConfig,
} from '../fixtures/open-test-gateway.ts';

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Version/18.4 Safari/604.1';

/* As the app on the phone does it. */
function phoneAt(url: string, browser: Browser = createBrowser()) {
  const post = async (path: string, body: object) => {
    const answer = await browser.request(new URL(`/api/v1/auth/${path}`, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, 'user-agent': phone },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, body: JSON.parse(text), headers: answer.headers };
  };
  return {
    browser,
    claim: (by: { code: string } | { link: string }) => {
      const shown = 'code' in by ? { code: by.code } : { link: by.link };
      return post('claims', { ...shown, cookie: true });
    },
    finish: (waitMs = 0) => post('claims/finish', { wait_ms: waitMs }),
    me: async () => (await browser.request(new URL('/api/v1/auth/me', url))).status,
  };
}

/* As the device does it that is signed in. */
function makerAt(url: string, token: string) {
  const ask = createAsk({ url, owner: { token } });
  return {
    ask,
    create: async () => {
      const { status, body } = await ask('POST', 'auth/codes');
      assert.equal(status, 201);
      return { id: body.login_code.id, code: body.code, link: body.link, body };
    },
    look: async (id: string) => (await ask('GET', `auth/codes/${id}`)).body.login_code,
    decide: (id: string, decision: string): Promise<Answer> =>
      ask('POST', `auth/codes/${id}/decision`, { body: { decision } }),
  };
}

const secretOf = (link: string): string => new URL(link).hash.replace('#clf-claim=', '');
const codeOf = ({ body }: { readonly body: { readonly error: { readonly code: string } } }) =>
  body.error.code;

function clockAhead() {
  const system = createSystemClock();
  const ahead = { ms: 0 };
  return { ahead, clock: { ...system, wallMs: () => system.wallMs() + ahead.ms } };
}

async function wrongCode(rig: TestGateway) {
  const { status } = await phoneAt(rig.url).claim({ code: 'ZZZZ-ZZZZ' });
  return status;
}

test('a code that is typed on a phone lets it in when the first device confirms, and not before', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, code } = await maker.create();
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
  const other = phoneAt(rig.url);
  const claimed = await other.claim({ code: ` ${code.toLowerCase().replace('-', '  ')} ` });
  assert.deepEqual([claimed.status, claimed.body.device], [202, 'Safari on iPhone']);
  assert.equal(claimed.body.claim, undefined, 'its secret is in a cookie alone');
  assert.match(claimed.headers.getSetCookie()[0] ?? '', /^__Host-clf-claim=.*HttpOnly.*Strict/);

  const shown = await maker.look(id);
  assert.equal(shown.state, 'claimed');
  assert.deepEqual(shown.claimant, { device: 'Safari on iPhone', ip: '127.0.0.1' });
  assert.deepEqual((await other.finish()).body, { state: 'claimed', signed_in: null });
  assert.equal(await other.me(), 401);

  const waiting = other.finish(20_000);
  assert.equal((await maker.decide(id, 'confirm')).body.login_code.state, 'confirmed');
  const { body } = await waiting;
  assert.deepEqual([body.state, body.signed_in.account.id], ['used', rig.owner.accountId]);
  assert.equal(body.signed_in.token, undefined);
  assert.equal(await other.me(), 200);
  assert.equal((await maker.look(id)).state, 'used');

  const devices = await maker.ask('GET', 'auth/sessions');
  const names = devices.body.items.map(({ device }: { device: string }) => device);
  assert.deepEqual(names.toSorted(), ['Safari on iPhone', 'test']);
  const { body: log } = await maker.ask('GET', 'audit?limit=100');
  const actions = log.entries.map(({ action }: { action: string }) => action);
  for (const action of ['create', 'claim', 'confirm', 'use']) {
    assert.ok(actions.includes(`login-code.${action}`), action);
  }
  const login = log.entries.find(({ action }: { action: string }) => action === 'auth.login');
  assert.equal(login.actor, 'code');
});

test('a link that is scanned is claimed and confirmed in the same way; a program holds its secret itself', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, link } = await maker.create();
  assert.ok(link.startsWith(`${rig.url}/login#clf-claim=`));
  const { ask } = makerAt(rig.url, 'clf_nobody');
  const made = await ask('POST', 'auth/claims', {
    body: { link: secretOf(link), device: 'laptop' },
  });
  const { claim } = made.body;
  assert.match(claim, /^[\w-]{43}$/);
  assert.deepEqual(made.headers.getSetCookie(), []);
  const finish = () => ask('POST', 'auth/claims/finish', { body: { claim } });
  assert.equal((await finish()).body.state, 'claimed');
  assert.equal((await maker.look(id)).claimant.device, 'laptop');
  await maker.decide(id, 'confirm');
  const { body } = await finish();
  const me = await ask('GET', 'auth/me', { token: body.signed_in.token });
  assert.equal(me.body.account.id, rig.owner.accountId);
});

test('what changes is told to the account’s devices', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, code } = await maker.create();
  const { body: before } = await maker.ask('GET', 'events?limit=1');
  const following = maker.ask('GET', `events?after=${before.last_seq}&wait_ms=20000`);
  await phoneAt(rig.url).claim({ code });
  const [event] = (await following).body.items;
  assert.deepEqual(
    [event.type, event.subject_id, event.payload],
    ['login_code_changed', id, { state: 'claimed' }],
  );
});

test('who is refused, before or after the claim, stays outside', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const first = await maker.create();
  const other = phoneAt(rig.url);
  await other.claim(first);
  const waiting = other.finish(20_000);
  assert.equal((await maker.decide(first.id, 'refuse')).body.login_code.state, 'refused');
  assert.equal((await waiting).body.state, 'refused');
  assert.equal(other.browser.cookies.size, 0);
  assert.equal(codeOf(await maker.decide(first.id, 'confirm')), 'already_decided');
  assert.equal(await other.me(), 401);

  const second = await maker.create();
  await maker.decide(second.id, 'refuse');
  assert.equal((await phoneAt(rig.url).claim({ code: second.code })).status, 401);
  const third = await maker.create();
  assert.equal(codeOf(await maker.decide(third.id, 'confirm')), 'already_decided', 'by nobody yet');
});

test('a code is claimed once: a second one finds nothing, the first may ask again', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, code, link } = await maker.create();
  const [one, two] = [phoneAt(rig.url), phoneAt(rig.url)];
  assert.equal((await one.claim({ code })).status, 202);
  assert.equal((await one.claim({ code })).status, 202, 'a page that was reloaded');
  assert.deepEqual([(await two.claim({ code })).status], [401]);
  assert.equal((await two.claim({ link: secretOf(link) })).status, 401);
  await maker.decide(id, 'confirm');
  assert.equal((await two.finish()).status, 401);
  assert.equal((await one.finish()).body.state, 'used');
  assert.equal((await phoneAt(rig.url).claim({ code })).status, 401);
});

test('a page that is loaded anew claims again, also after the confirmation and when it was let in', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, link } = await maker.create();
  const by = { link: secretOf(link) };
  const first = phoneAt(rig.url);
  await first.claim(by);
  await maker.decide(id, 'confirm');
  assert.equal((await first.claim(by)).status, 202);
  assert.equal(
    codeOf(await phoneAt(rig.url).claim(by)),
    'invalid_link',
    'another one finds nothing',
  );
  assert.equal((await first.finish()).body.state, 'used');
  assert.equal((await first.claim(by)).status, 202);
  assert.equal((await first.finish()).body.state, 'used');
  assert.equal(await first.me(), 200);
});

test('of many who claim at once, one gets a claim', async () => {
  await using rig = await openTestGateway();
  const { code } = await makerAt(rig.url, rig.owner.token).create();
  const all = await Promise.all(Array.from({ length: 8 }, () => phoneAt(rig.url).claim({ code })));
  assert.equal(all.filter(({ status }) => status === 202).length, 1);
});

test('an answer that was lost is given again, and the token of the first one ends', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, code } = await maker.create();
  const other = phoneAt(rig.url);
  await other.claim({ code });
  await maker.decide(id, 'confirm');
  await other.finish();
  const lost = other.browser.cookies.get('__Host-clf') ?? '';
  await other.finish();
  assert.equal(await other.me(), 200);
  assert.equal((await maker.ask('GET', 'auth/me', { token: lost })).status, 401);
  const { body } = await maker.ask('GET', 'auth/sessions');
  assert.equal(body.total, 2);
  const made = body.items.find(({ device }: { device: string }) => device === 'Safari on iPhone');
  await maker.ask('DELETE', `auth/sessions/${made.id}`);
  assert.equal((await other.finish()).status, 410, 'who was signed out does not come back by it');
  assert.equal(await other.me(), 401);
});

test('each step has its time, and after it there is nothing to use', async () => {
  const { ahead, clock } = clockAhead();
  await using rig = await openTestGateway({ deps: { clock } });
  const maker = makerAt(rig.url, rig.owner.token);
  const minutes = (count: number): void => {
    ahead.ms += count * 60_000;
  };
  const first = await maker.create();
  minutes(2);
  assert.equal((await phoneAt(rig.url).claim(first)).status, 401);
  assert.equal((await maker.look(first.id)).state, 'expired');

  const second = await maker.create();
  const other = phoneAt(rig.url);
  await other.claim(second);
  minutes(2);
  assert.equal(codeOf(await maker.decide(second.id, 'confirm')), 'expired');
  assert.equal((await other.finish()).body.state, 'expired');

  const third = await maker.create();
  await other.claim(third);
  await maker.decide(third.id, 'confirm');
  minutes(1);
  assert.equal((await other.finish()).body.state, 'expired');
  assert.equal(await other.me(), 401);
  const removed = await rig.gateway.store.system.cleanup.removeExpired();
  assert.equal(removed['login_codes'], 3);
});

test('a device shows one code at a time, decides about its own alone, and lets nobody in once it is out', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const old = await maker.create();
  const other = phoneAt(rig.url);
  await other.claim(old);
  const { id, code } = await maker.create();
  assert.equal((await other.finish()).body.state, 'refused');
  const same = await addDevice(rig.gateway, rig.owner.accountId);
  for (const token of [same.token, rig.other.token]) {
    const stranger = makerAt(rig.url, token);
    assert.equal((await stranger.ask('GET', `auth/codes/${id}`)).status, 404);
    assert.equal((await stranger.decide(id, 'confirm')).status, 404);
  }
  await other.claim({ code });
  await maker.decide(id, 'confirm');
  await makerAt(rig.url, same.token).ask('DELETE', `auth/sessions/${rig.owner.deviceId}`);
  assert.equal((await other.finish()).status, 410);
  assert.equal(await other.me(), 401);
});

test('a token for a program makes no codes', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const scopes = ['read', 'run', 'approve', 'admin'];
  const { body } = await maker.ask('POST', 'auth/tokens', { body: { label: 'all', scopes } });
  const refused = await maker.ask('POST', 'auth/codes', { token: body.token });
  assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden']);
});

test('after ten attempts an address waits a quarter of an hour, and is told so; a link still works', async () => {
  await using rig = await openTestGateway();
  const maker = makerAt(rig.url, rig.owner.token);
  const { rateLimits } = rig.gateway.store.system;
  for (let count = 0; count < 10; count += 1) assert.equal(await wrongCode(rig), 401);
  // The limit of the endpoint itself is a minute's.
  const scope = 'POST /api/v1/auth/claims';
  const { code, link } = await maker.create();
  await rateLimits.forget({ scope, subject: '127.0.0.1' });
  const locked = await phoneAt(rig.url).claim({ code });
  assert.equal(locked.status, 429);
  const seconds = locked.body.error.detail.retry_after_seconds;
  assert.ok(seconds > 800 && seconds <= 900, String(seconds));
  assert.equal(locked.headers.get('retry-after'), String(seconds));
  assert.equal((await phoneAt(rig.url).claim({ link: secretOf(link) })).status, 202);
  const { entries } = await rig.gateway.store.system.auditLog.list({ action: 'auth.refused' });
  const reasons = entries.map(
    ({ actor, detail }) => `${actor} ${JSON.stringify(detail?.['reason'])}`,
  );
  assert.equal(reasons.filter((reason) => reason === 'code "invalid_link"').length, 10);
  assert.equal(reasons.filter((reason) => reason === 'code "too_many_codes"').length, 1);
});

test('all addresses together have 3,000 attempts in ten minutes', async () => {
  await using rig = await openTestGateway();
  const { code } = await makerAt(rig.url, rig.owner.token).create();
  const { rateLimits } = rig.gateway.store.system;
  const everyone = { scope: 'auth.code', subject: 'everyone', hitsMax: 3_000, windowMs: 600_000 };
  for (let count = 0; count < 2_999; count += 1) await rateLimits.hit(everyone);
  assert.equal(await wrongCode(rig), 401, 'strangers with a few addresses stop nobody');
  assert.equal((await phoneAt(rig.url).claim({ code })).status, 429);
  await rateLimits.forget(everyone);
});

test('a /48 network has its own limit, so that one person cannot use up the one of all', async () => {
  await using rig = await openTestGateway({ config: { trustedProxies: ['127.0.0.1'] } });
  const claimFrom = async (address: string) => {
    const answer = await fetch(new URL('/api/v1/auth/claims', rig.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ code: 'ZZZZ-ZZZZ' }),
    });
    return answer.status;
  };
  for (let network = 0; network < 50; network += 1) {
    assert.equal(await claimFrom(`2001:db8:7:${network.toString(16)}::1`), 401);
  }
  assert.equal(await claimFrom('2001:db8:7:ffff::1'), 429);
  assert.equal(await claimFrom('2001:db8:8::1'), 401);
});

test('two gateways of one database: made at one, claimed at the other, confirmed and collected across', async () => {
  await using rig = await openTestGateway();
  const config = { ...testConfig(`${rig.directory}/second`), ...sharedWith(rig) };
  await using second = await openGateway(config, systemDeps());
  const maker = makerAt(rig.url, rig.owner.token);
  const { id, code } = await maker.create();
  const other = phoneAt(second.url);
  assert.equal((await other.claim({ code })).status, 202);
  const waiting = other.finish(20_000);
  await maker.decide(id, 'confirm');
  assert.equal((await waiting).body.state, 'used');
  assert.equal(await other.me(), 200);
});

test('a gateway that is gone in the middle is not needed: the next one goes on, and what was not confirmed ends', async () => {
  const { ahead, clock } = clockAhead();
  await using rig = await openTestGateway({ deps: { clock } });
  const { code, id } = await makerAt(rig.url, rig.owner.token).create();
  const other = phoneAt(rig.url);
  await other.claim({ code });
  await rig.gateway.close();
  await using next = await openGateway(rig.config, { ...systemDeps(), clock });
  await makerAt(next.url, rig.owner.token).decide(id, 'confirm');
  const again = phoneAt(next.url, other.browser);
  assert.equal((await again.finish()).body.state, 'used');
  const { code: late } = await makerAt(next.url, rig.owner.token).create();
  ahead.ms += 120_000;
  assert.equal((await again.claim({ code: late })).status, 401);
});

test('neither the code nor the link nor the claim is in the database', async () => {
  await using rig = await openTestGateway();
  const { code, link } = await makerAt(rig.url, rig.owner.token).create();
  const other = phoneAt(rig.url);
  await other.claim({ code });
  const claim = other.browser.cookies.get('__Host-clf-claim') ?? '';
  await rig.gateway.close();
  for (const end of ['', '-wal']) {
    const bytes = await readFile(`${rig.directory}/control.db${end}`).catch(() => Buffer.alloc(0));
    for (const secret of [code, code.replace('-', ''), secretOf(link), claim]) {
      assert.ok(!bytes.includes(secret));
    }
  }
});
