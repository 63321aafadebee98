/*
 * The page at `/`: what each caller sees of it, that nothing in it can act, and that its buttons work for its own page alone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { type Browser, createBrowser } from '../fixtures/browser.ts';
import { addDevice, openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const evil = '<script>alert(1)</script>';

/* A browser that is signed in as the owner, or with another token. */
function browserOf(rig: TestGateway, token = rig.owner.token): Browser {
  const browser = createBrowser();
  browser.cookies.set('__Host-clf', token);
  return browser;
}

async function pageOf(rig: TestGateway, browser: Browser, path = '/'): Promise<string> {
  const answer = await browser.navigate(new URL(path, rig.url));
  assert.equal(answer.status, 200);
  return answer.text();
}

/* As a form of the page sends it. */
function press(rig: TestGateway, browser: Browser, [path, body = '', origin = rig.url]: string[]) {
  return browser.request(new URL(path ?? '', rig.url), {
    method: 'POST',
    headers: { origin: origin ?? '', 'content-type': 'application/x-www-form-urlencoded' },
    body: body ?? '',
  });
}

async function holdCommand(rig: TestGateway, argv: readonly string[]): Promise<string> {
  const ask = createAsk(rig);
  const label = `agent-${argv.join('').length}`;
  const made = await ask('POST', 'auth/tokens', { body: { label, scopes: ['read', 'run'] } });
  const agent = callerOf(rig.url, made.body.token);
  const { body } = await agent.post('/api/v1/runs', { argv, env: { COLOUR: evil } });
  assert.equal(body.status, 'approval-pending');
  return body.approvalId as string;
}

test('a stranger is told what this is and how to sign in, and nothing else', async () => {
  await using rig = await openTestGateway();
  const answer = await fetch(new URL('/', rig.url));
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const html = await answer.text();
  assert.match(html, /not signed in/);
  assert.match(html, /clf login --link/);
  assert.ok(!html.includes('GitHub'));
  assert.ok(!html.includes('Devices'));
});

test('a cookie that is no good is taken back, and a token for programs is no way in', async () => {
  await using rig = await openTestGateway();
  const browser = browserOf(rig, `${rig.owner.token.slice(0, -4)}AAAA`);
  assert.match(await pageOf(rig, browser), /not signed in/);
  assert.equal(browser.cookies.size, 0);
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/tokens', { body: { label: 'ci', scopes: ['read'] } });
  assert.match(await pageOf(rig, browserOf(rig, made.body.token)), /not signed in/);
  const headers = { authorization: `Bearer ${rig.owner.token}` };
  assert.match(await (await fetch(rig.url, { headers })).text(), /not signed in/);
});

test('the owner sees runs, why they ended, what waits, and devices', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('/api/v1/runs', { argv: ['sh', '-c', 'exit 3'], name: 'backup' });
  await me.untilEnded(body.runId);
  await holdCommand(rig, ['/bin/sh', '-c', 'echo agent']);
  const html = await pageOf(rig, browserOf(rig));
  assert.match(html, /<strong>backup<\/strong>[^]*failed with exit code 3/);
  assert.match(html, /\/bin\/sh -c &#39;echo agent&#39;/);
  assert.match(html, /Waiting for you <span class="count">1</);
  assert.equal(html.match(/echo agent/g)?.length, 1, 'what waits is shown once');
  assert.match(html, /this one/);
  assert.match(html, /Sign out/);
});

test('what others wrote is text, also in names, arguments and variables', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const argv = ['true', evil, '"\'><img src=x onerror=alert(1)>', 'a\u202eb'];
  const { body } = await me.post('/api/v1/runs', { argv, labels: { x: evil }, name: 'x&<b>"\'' });
  if (body.runId !== undefined) await me.untilEnded(body.runId);
  await holdCommand(rig, ['/bin/sh', '-c', evil]);
  await rig.gateway.store.forAccount(rig.owner.accountId).devices.create({
    tokenHash: 'other',
    device: evil,
    audit: { action: 'test', actor: 'test' },
  });
  const html = await pageOf(rig, browserOf(rig));
  assert.ok(html.includes('&lt;script&gt;alert(1)'));
  assert.ok(!/<(?:img|b)\b/.test(html));
  const scripts = html.match(/<script\b[^>]*>[^<]*/g);
  assert.deepEqual(scripts, ['<script type="module" src="/pages/home.js">'], 'only ours');
  assert.ok(!/<style|\sstyle=|\son[a-z]+=(?!alert)/.test(html), 'no inline style or handler');
  assert.ok(!html.includes('\u202e'));
  const policy = (await browserOf(rig).navigate(rig.url)).headers;
  assert.match(
    policy.get('content-security-policy') ?? '',
    /default-src 'none'.*form-action 'self'/,
  );
  assert.equal(policy.get('referrer-policy'), 'same-origin');
  assert.equal(policy.get('cache-control'), 'no-store');
});

test('living runs stand first, however old; a request says how long it still waits', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const old = await me.post('/api/v1/runs', {
    argv: ['sleep', '600'],
    name: 'lives',
    background: true,
  });
  for (let count = 0; count < 21; count += 1) {
    const { body } = await me.post('/api/v1/runs', { argv: ['true'], name: `done-${count}` });
    await me.untilEnded(body.runId);
  }
  await holdCommand(rig, ['/bin/sh', '-c', 'echo agent']);
  const html = await pageOf(rig, browserOf(rig));
  const names = [...html.matchAll(/<strong>([^<]+)</g)].map(([, name]) => name);
  assert.deepEqual([names.length, names[0], names[1]], [20, 'lives', 'done-20']);
  assert.match(html, /and 2 more/);
  assert.match(html, /asked just now, waits for \d+ (?:min|h) more/);
  await me.post(`/api/v1/runs/${old.body.runId}/cancel`, {});
});

test('the end of a run’s output is a page for its own account, and only text', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const script = `seq 1 300; printf 'a\\tb \\342\\200\\256 ${evil}\\n'`;
  const { body } = await me.post('/api/v1/runs', { argv: ['sh', '-c', script], name: 'told' });
  await me.untilEnded(body.runId);
  const path = `/pages/runs/${body.runId}`;
  assert.ok((await pageOf(rig, browserOf(rig))).includes(`href="${path}"`));
  const html = await pageOf(rig, browserOf(rig), path);
  assert.match(html, /\n299\n300\na\tb [^\n]*&lt;script&gt;alert\(1\)/);
  assert.ok(!html.includes('\n50\n'), 'only its end');
  assert.match(html, /Only its end\. All of it: <code>clf logs /);
  assert.ok(!/<script|\u202e/.test(html));
  for (const other of [browserOf(rig, rig.other.token), createBrowser()]) {
    const answer = await other.request(new URL(path, rig.url), { redirect: 'manual' });
    assert.equal(answer.status, 303);
    assert.ok(!(await answer.text()).includes('299'));
  }
});

test('an account sees its own runs, approvals and devices only, and decides about no others', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { body } = await me.post('/api/v1/runs', { argv: ['true', 'owners-secret'] });
  await me.untilEnded(body.runId);
  const approvalId = await holdCommand(rig, ['/bin/sh', '-c', 'owners-command']);
  const other = browserOf(rig, rig.other.token);
  const html = await pageOf(rig, other);
  for (const theirs of ['owners-secret', 'owners-command', approvalId, rig.owner.deviceId]) {
    assert.ok(!html.includes(theirs), theirs);
  }
  const path = `/pages/approvals/${approvalId}`;
  const refused = await press(rig, other, [path, 'decision=allow-once']);
  assert.equal(refused.headers.get('location'), '/?said=not_found');
  await press(rig, other, [`/pages/devices/${rig.owner.deviceId}`]);
  assert.equal((await createAsk(rig)('GET', 'auth/me')).status, 200);
});

test('buttons decide, sign another device out, and sign out', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const browser = browserOf(rig);
  const denied = await holdCommand(rig, ['/bin/sh', '-c', 'true']);
  const allowed = await holdCommand(rig, ['/bin/sh', '-c', 'exit 0']);
  const path = `/pages/approvals/${denied}`;
  const answer = await press(rig, browser, [path, 'decision=deny']);
  assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/']);
  assert.equal((await ask('GET', `approvals/${denied}`)).body.state, 'denied');
  const again = await press(rig, browser, [path, 'decision=allow-once']);
  assert.equal(again.headers.get('location'), '/?said=already_decided');
  assert.match(await pageOf(rig, browser, '/?said=already_decided'), /That was decided before/);
  assert.doesNotMatch(await pageOf(rig, browser, '/?said=%3Cb%3Ehacked'), /hacked|class="notice"/);
  await press(rig, browser, [`/pages/approvals/${allowed}`, 'decision=allow-once']);
  const { body } = await ask('GET', `approvals/${allowed}`);
  assert.equal(body.decision, 'allow-once');
  const odd = await press(rig, browser, [path, 'decision=allow-always']);
  assert.equal(odd.headers.get('location'), '/?said=failed', 'for ever is not a button');

  const lost = await addDevice(rig.gateway, rig.owner.accountId);
  await press(rig, browser, [`/pages/devices/${lost.deviceId}`]);
  assert.equal((await ask('GET', 'auth/me', { token: lost.token })).status, 401);

  const out = await press(rig, browser, ['/pages/sign-out']);
  assert.deepEqual([out.status, out.headers.get('location')], [303, '/']);
  assert.equal(browser.cookies.size, 0);
  assert.equal((await ask('GET', 'auth/me')).status, 401);
  assert.equal((await press(rig, browser, ['/pages/sign-out'])).headers.get('location'), '/');
});

test('a page of another origin, and a request that does not say where it is from, press nothing', async () => {
  await using rig = await openTestGateway();
  const browser = browserOf(rig);
  const approvalId = await holdCommand(rig, ['/bin/sh', '-c', 'true']);
  const path = `/pages/approvals/${approvalId}`;
  for (const origin of ['https://evil.example', 'null']) {
    const { status } = await press(rig, browser, [path, 'decision=allow-once', origin]);
    assert.equal(status, 403, origin);
  }
  const bare = await browser.request(new URL(path, rig.url), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'decision=allow-once',
  });
  assert.equal(bare.status, 403);
  assert.equal((await createAsk(rig)('GET', `approvals/${approvalId}`)).body.state, 'pending');
});

test('the API takes no forms', async () => {
  await using rig = await openTestGateway();
  const answer = await press(rig, browserOf(rig), ['/api/v1/approvals/x', 'decision=deny']);
  assert.equal(answer.status, 415);
});
