/*
 * Subscribes a browser anew: an earlier subscription may be of another key, or dead.
 */
import type { Client } from '@clawdfather/sdk';

export async function subscribeAnew(client: Client, push: PushManager): Promise<void> {
  const { key_id: keyId, public_key: key } = await client.push.get();
  await (await push.getSubscription())?.unsubscribe();
  const made = await push.subscribe({
    userVisibleOnly: true,
    applicationServerKey: bytesOf(key),
  });
  const { endpoint, keys } = made.toJSON();
  if (endpoint === undefined || keys?.['p256dh'] === undefined || keys['auth'] === undefined)
    throw new Error('the browser has made a subscription without an address');
  const { p256dh, auth } = keys;
  await client.push.subscribe({ body: { key_id: keyId, endpoint, keys: { p256dh, auth } } });
}

/* Of base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(plain, (letter) => letter.codePointAt(0) ?? 0);
}
