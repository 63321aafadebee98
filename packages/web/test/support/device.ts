/*
 * A browser with a profile on disk, as a phone has it: it can be killed with -9 and opened again, and what it had kept is there.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { openChromiumProfile } from './chromium.ts';
import { contextOptions, type Phone, phoneOf, type PhoneOptions } from './phone.ts';

export interface Device extends AsyncDisposable {
  /* The browser as it is open now. */
  readonly phone: Phone;
  /* As the system does it when memory runs out; resolves when it is gone. */
  kill(): Promise<void>;
  /* After `kill`: one of the two places where Chromium keeps databases is gone, as when it finds them damaged. */
  lose(copy: 'first' | 'second'): void;
  /* After `kill`. Nothing is loaded yet. */
  start(): Promise<void>;
}

/* Signed in. Closed once in peace after that: Chromium writes its cookies down half a minute later, or when it ends. */
export async function openDevice(options: PhoneOptions): Promise<Device> {
  const profile = mkdtempSync(join(tmpdir(), 'clf-profile-'));
  const launch = (): Promise<BrowserContext> =>
    openChromiumProfile(profile, contextOptions(options));
  const open = async (isSignedIn: boolean): Promise<Phone> =>
    phoneOf(await launch(), { ...options, isSignedIn });
  const first = await open(true);
  await first.page.evaluate(async () => void (await navigator.serviceWorker.ready));
  await first[Symbol.asyncDispose]();
  let phone = await open(false);
  return {
    get phone() {
      return phone;
    },
    kill: async () => {
      const closed = new Promise((resolve) => phone.context.once('close', resolve));
      process.kill(pidOf(profile), 'SIGKILL');
      await closed;
      await phone[Symbol.asyncDispose]();
    },
    lose: (copy) => {
      const folder = join(profile, 'Default', copy === 'first' ? 'IndexedDB' : 'WebStorage');
      if (readdirSync(folder).length === 0) throw new Error(`there is nothing in ${folder}`);
      rmSync(folder, { recursive: true });
    },
    start: async () => {
      phone = await open(false);
    },
    [Symbol.asyncDispose]: async () => {
      await phone[Symbol.asyncDispose]();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/* Chromium locks its profile with a link to HOST-PID. */
function pidOf(profile: string): number {
  const pid = Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))?.[1]);
  if (!(pid > 1)) throw new Error('the browser has no lock on its profile');
  return pid;
}
