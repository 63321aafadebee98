/*
 * Debian's Chromium for a file of tests. One that is missing is a failure that names its package.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

const program = '/usr/bin/chromium';

/* No GPU here, and nothing that calls home. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
];

export async function openChromium(): Promise<Browser> {
  checkProgram(program, 'chromium');
  return chromium.launch({ executablePath: program, args: flags });
}

/* With a profile that is on disk and outlives it, as on a phone; everything else is as the options say. */
export async function openChromiumProfile(
  profile: string,
  options: Parameters<typeof chromium.launchPersistentContext>[1] = {},
): Promise<BrowserContext> {
  checkProgram(program, 'chromium');
  // One that is killed leaves its sockets there.
  const TMPDIR = join(profile, 'tmp');
  mkdirSync(TMPDIR, { recursive: true });
  return chromium.launchPersistentContext(profile, {
    ...options,
    env: { ...process.env, ...options.env, TMPDIR },
    executablePath: program,
    args: flags,
  });
}

export function checkProgram(path: string, debianPackage: string): void {
  if (existsSync(path)) return;
  throw new Error(`${path} is not there: apt-get install ${debianPackage}`);
}
