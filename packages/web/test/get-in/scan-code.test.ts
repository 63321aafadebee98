/*
 * A QR code that another device shows is read by the camera of this one, and lets it in. The camera and the browser's reader of codes are
 * stand-ins: there is neither here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOfHere } from '../../src/get-in/parse-given.ts';
import { openChromium } from '../support/chromium.ts';
import { openPhone } from '../support/phone.ts';
import { openRealGateway } from '../support/real-gateway.ts';

test('a link in a QR code signs in; one of another gateway does not', async () => {
  await using gateway = await openRealGateway();
  const browser = await openChromium();
  try {
    await using phone = await openPhone(browser, { gateway, isSignedIn: false });
    const { page } = phone;
    await page.addInitScript(standInForCamera);
    await page.goto(gateway.url);
    await page.evaluate(() => Object.assign(window, { seen: 'https://other.example/#clf-link=x' }));
    await page.getByRole('button', { name: 'Scan a QR code' }).click();
    await page.getByText('not of this gateway').waitFor();
    const link = await gateway.loginLink();
    await page.evaluate((seen) => Object.assign(window, { seen }), link);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const live = await page.evaluate(
      () => (window as unknown as { camera: MediaStream }).camera.getTracks()[0]?.readyState,
    );
    assert.equal(live, 'ended', 'the camera is off');
  } finally {
    await browser.close();
  }
});

test('a code is of here by its address; what has none is typed here', () => {
  const here = 'https://clawd.example.org';
  assert.ok(isOfHere(`${here}/login#clf-claim=${'x'.repeat(43)}`, here));
  assert.ok(!isOfHere(`${here}.evil.example/#clf-link=${'x'.repeat(43)}`, here));
  assert.ok(!isOfHere('https://other.example/', here));
  assert.ok(isOfHere('7K2M-94QX', here));
  assert.ok(!isOfHere('a shopping list', here));
});

/* Runs in the page. */
function standInForCamera(): void {
  const at = window as unknown as { seen?: string; camera?: MediaStream };
  Object.assign(window, {
    BarcodeDetector: class {
      async detect() {
        return at.seen === undefined ? [] : [{ rawValue: at.seen }];
      }
    },
  });
  navigator.mediaDevices.getUserMedia = async () => {
    const canvas = document.createElement('canvas');
    canvas.getContext('2d')?.fillRect(0, 0, 8, 8);
    at.camera = canvas.captureStream(10);
    return at.camera;
  };
}
