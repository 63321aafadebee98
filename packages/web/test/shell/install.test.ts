/*
 * The app can be installed: Chromium has nothing against it, and the manifest says what phones read of it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openChromiumProfile } from '../support/chromium.ts';
import { contextOptions, type Phone, phoneOf } from '../support/phone.ts';
import { openRealGateway, type RealGateway } from '../support/real-gateway.ts';

interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly short_name: string;
  readonly start_url: string;
  readonly scope: string;
  readonly display: string;
  readonly icons: readonly {
    readonly src: string;
    readonly sizes: string;
    readonly type: string;
    readonly purpose?: string;
  }[];
  readonly shortcuts: readonly { readonly name: string; readonly url: string }[];
}

let gateway: RealGateway;
let profile: string;
let phone: Phone;

before(async () => {
  gateway = await openRealGateway();
  // With a profile: in a private window nothing is installed.
  profile = mkdtempSync(join(tmpdir(), 'clf-profile-'));
  const context = await openChromiumProfile(profile, contextOptions({}));
  phone = await phoneOf(context, { gateway });
});
after(async () => {
  await phone?.[Symbol.asyncDispose]();
  await gateway?.[Symbol.asyncDispose]();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

test('Chromium has nothing against installing it, and nothing to say about its manifest', async () => {
  const { page, context } = phone;
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  const session = await context.newCDPSession(page);
  const { installabilityErrors: errors } = await session.send('Page.getInstallabilityErrors');
  assert.deepEqual(errors, []);
  const { url, errors: inManifest } = await session.send('Page.getAppManifest');
  assert.equal(url, `${new URL(gateway.url).origin}/manifest.webmanifest`);
  assert.deepEqual(inManifest, []);
});

test('the manifest names the app, where it begins, icons for every phone that are what they say, and shortcuts that lead somewhere', async () => {
  const read = (path: string): Promise<Response> => fetch(new URL(path, gateway.url));
  const answer = await read('/manifest.webmanifest');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/manifest\+json/);
  const manifest = (await answer.json()) as Manifest;
  const { id, name, short_name: short, start_url: start, scope, display } = manifest;
  assert.deepEqual([id, start, scope, display], ['/', '/inbox', '/', 'standalone']);
  assert.ok(name !== '' && short.length <= 12);
  const pictures = manifest.icons.filter(({ type }) => type === 'image/png');
  assert.deepEqual(
    pictures.map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`),
    ['192x192 any', '512x512 any', '512x512 maskable'],
  );
  for (const { src, sizes } of pictures) {
    const bytes = Buffer.from(await (await read(src)).arrayBuffer());
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG', src);
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
  }
  const { page } = phone;
  for (const { name: says, url } of manifest.shortcuts) {
    await phone.go(url);
    await page.getByRole('heading', { level: 1, name: says }).waitFor();
  }
  const colours = await page
    .locator('meta[name="theme-color"]')
    .evaluateAll((metas) => metas.map((meta) => meta.getAttribute('media')));
  const schemes = ['light', 'dark'].map((scheme) => `(prefers-color-scheme: ${scheme})`);
  assert.deepEqual(new Set(colours), new Set(schemes));
});
