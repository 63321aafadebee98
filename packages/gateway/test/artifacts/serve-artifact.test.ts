/*
 * Addresses of artifacts: what they are good for, for how long, and everything that is not one.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTalk, isEndOf } from '../agents/talk.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { createSigner } from '../../src/artifacts/signed-address.ts';
import { untilSynced } from './until-synced.ts';

const text = '0123456789abcdefghij';

interface Item {
  readonly id: string;
  readonly sha256: string;
  readonly download_url: string;
}

async function keepOne(rig: TestGateway, name = 'reports/a.txt'): Promise<Item> {
  const directory = join(rig.directory, 'project');
  await mkdir(join(directory, 'reports'), { recursive: true });
  await writeFile(join(directory, name), text);
  const me = callerOf(rig.url, rig.owner.token);
  const talk = createTalk(() => me);
  await talk.begin({ directory });
  const turn = await talk.say('hello');
  await talk.until(isEndOf(turn));
  const { items } = await untilSynced(me, turn);
  return items[0];
}

test('parts, whole, and only what has changed', async () => {
  await using rig = await openTestGateway();
  const { download_url, sha256 } = await keepOne(rig);
  const url = new URL(download_url, rig.url);
  const get = (headers: Record<string, string>, method = 'GET') => fetch(url, { headers, method });
  const part = await get({ range: 'bytes=5-9' });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), 'bytes 5-9/20');
  assert.equal(part.headers.get('content-length'), '5');
  assert.equal(await part.text(), '56789');
  const suffix = await get({ range: 'bytes=-3' });
  assert.equal(await suffix.text(), 'hij');
  const beyond = await get({ range: 'bytes=20-' });
  assert.equal(beyond.status, 416);
  assert.equal(beyond.headers.get('content-range'), 'bytes */20');
  assert.equal(
    ((await beyond.json()) as { error: { code: string } }).error.code,
    'range_not_satisfiable',
  );
  const same = await get({ range: 'bytes=0-0', 'if-range': `"${sha256}"` });
  assert.equal(same.status, 206);
  await same.body?.cancel();
  const other = await get({ range: 'bytes=0-0', 'if-range': '"other"' });
  assert.equal(other.status, 200);
  assert.equal(await other.text(), text);
  const known = await get({ 'if-none-match': `"x", "${sha256}"` });
  assert.equal(known.status, 304);
  const head = await get({}, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-length'), '20');
  assert.equal(head.headers.get('etag'), `"${sha256}"`);
  assert.equal(await head.text(), '');
  const headPart = await get({ range: 'bytes=1-2' }, 'HEAD');
  assert.equal(headPart.status, 206);
  assert.equal(headPart.headers.get('content-length'), '2');
});

test('an address with anything changed in it is as good as none, word for word', async () => {
  await using rig = await openTestGateway();
  const { download_url, id } = await keepOne(rig);
  const url = new URL(download_url, rig.url);
  const good = url.searchParams.get('signature') ?? '';
  const expires = url.searchParams.get('expires') ?? '';
  const flipped = (good.startsWith('A') ? 'B' : 'A') + good.slice(1);
  // The last character has bits that no byte uses.
  const spelled = good.slice(0, -1) + String.fromCharCode(good.charCodeAt(42) + 1);
  const address = (changes: { id?: string; expires?: string; signature?: string }) => {
    const name = { id, expires, signature: good, ...changes };
    return `/api/v1/artifacts/${name.id}?expires=${name.expires}&signature=${name.signature}`;
  };
  const missing = await fetch(new URL(address({ id: '0123456789abcdef' }), rig.url));
  const refusal = await missing.text();
  assert.equal(missing.status, 404);
  for (const changes of [
    { signature: flipped },
    { signature: spelled },
    { signature: 'A'.repeat(43) },
    { expires: String(Number(expires) + 1) },
    { expires: String(Number(expires) - 1) },
    { expires: '1' },
  ]) {
    const response = await fetch(new URL(address(changes), rig.url));
    assert.equal(response.status, 404, JSON.stringify(changes));
    assert.equal(await response.text(), refusal);
    assert.equal(response.headers.get('content-disposition'), null);
  }
  for (const changes of [
    { signature: '' },
    { signature: `${good}A` },
    { expires: '-1' },
    { expires: '1e9' },
  ]) {
    const response = await fetch(new URL(address(changes), rig.url));
    assert.equal(response.status, 400, JSON.stringify(changes));
  }
  // A token of another account does not help, nor does one of the right one.
  for (const { token } of [rig.owner, rig.other]) {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(new URL(address({ signature: flipped }), rig.url), { headers });
    assert.equal(response.status, 404);
  }
  assert.equal((await fetch(url)).status, 200, 'and the good one is still good');
});

test('a signature is for one account, one artifact, one time, and any key that is still there', () => {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)].map((bytes) => ({
    bytes,
  }));
  const [newest, older, strange] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
  const signer = createSigner([newest, older]);
  const name = { accountId: 'a' as never, artifactId: 'b', expires: 10 };
  const signature = signer.sign(name);
  assert.ok(signer.isSigned(name, signature));
  assert.ok(signer.isSigned(name, createSigner([older]).sign(name)));
  assert.ok(!signer.isSigned(name, createSigner([strange]).sign(name)));
  for (const other of [
    { ...name, accountId: 'c' as never },
    { ...name, artifactId: 'c' },
    { ...name, expires: 11 },
    { ...name, accountId: 'a\nb' as never, artifactId: '' },
  ]) {
    assert.ok(!signer.isSigned(other, signature));
  }
});

test('an address is good for a day, and says so when it is over', async () => {
  await using rig = await openTestGateway();
  const { id } = await keepOne(rig);
  const { openUrlKeys } = await import('../../src/artifacts/url-keys.ts');
  const { createSystemClock, createSystemRandom } = await import('@clawdfather/kit');
  const keys = await openUrlKeys(join(rig.config.stateDir, 'artifacts/url-keys'), {
    clock: createSystemClock(),
    random: createSystemRandom(),
  });
  const expires = 1_000;
  const signature = createSigner(keys).sign({
    accountId: rig.owner.accountId,
    artifactId: id,
    expires,
  });
  const response = await fetch(
    new URL(`/api/v1/artifacts/${id}?expires=${expires}&signature=${signature}`, rig.url),
  );
  assert.equal(response.status, 410);
  assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'expired');
});

test('a name that would mislead is saved under a harmless one, and a page is no page', async () => {
  await using rig = await openTestGateway();
  const { download_url } = await keepOne(rig, 'reports/bild\u202egpj "x"; y=ü.html');
  const response = await fetch(new URL(download_url, rig.url));
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  const disposition = response.headers.get('content-disposition') ?? '';
  assert.match(
    disposition,
    /^attachment; filename="bild_gpj \\"x\\"; y=\?\.html"; filename\*=utf-8''/i,
  );
  assert.doesNotMatch(decodeURIComponent(disposition), /\u202e/);
  await response.body?.cancel();
});
