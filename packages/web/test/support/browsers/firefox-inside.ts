/*
 * Debian's Firefox ESR over Marionette, the protocol under its WebDriver: unlike BiDi it also reaches the browser's own windows, and so the
 * notifications that it shows and a tap on them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProgram } from '../chromium.ts';
import { findControl, isShown, until } from './driver.ts';

const program = '/usr/bin/firefox-esr';
/* In an answer, where an element was found (W3C WebDriver, 12.1). */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';
const scriptMs = 60_000;

export interface ShownByFirefox {
  readonly title: string;
  readonly text: string;
}

export interface FirefoxInside extends AsyncDisposable {
  open(url: string): Promise<void>;
  press(role: 'link' | 'button', name: string): Promise<void>;
  sees(text: string): Promise<void>;
  /* Of an expression in the page, or of the promise that it is. */
  valueOf<Value>(expression: string): Promise<Value>;
  /* How many pages are open. */
  pages(): Promise<number>;
  /* The page that was opened last is the one that everything above is about. */
  toNewestPage(): Promise<void>;
  /* On the screen now; without a title while its window is being made. */
  notifications(): Promise<readonly ShownByFirefox[]>;
  /* On the notification itself, the newest one. */
  tap(): Promise<void>;
}

export async function openFirefoxInside(
  preferences: Readonly<Record<string, string | number | boolean>>,
): Promise<FirefoxInside> {
  checkProgram(program, 'firefox-esr');
  const home = mkdtempSync(join(tmpdir(), 'clf-firefox-'));
  const profile = join(home, 'profile');
  mkdirSync(profile);
  writeFileSync(join(profile, 'user.js'), formatPreferences(preferences));
  const flags = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote'];
  const child = spawn(program, [...flags, '--profile', profile, 'about:blank'], {
    env: { ...process.env, HOME: home, MOZ_DISABLE_CONTENT_SANDBOX: '1' },
    stdio: 'ignore',
  });
  const line = await openLine(await portOf(profile));
  await line.send('WebDriver:NewSession', { timeouts: { script: scriptMs } });
  return {
    ...inside(line),
    [Symbol.asyncDispose]: async () => {
      line.socket.destroy();
      await end(child);
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function formatPreferences(preferences: Readonly<Record<string, string | number | boolean>>) {
  const all = {
    ...quiet,
    'permissions.default.desktop-notification': 1,
    // Shown by the browser itself, in windows that can be reached.
    'alerts.useSystemBackend': false,
    // A free one; it is told in a file of the profile.
    'marionette.port': 0,
    ...preferences,
  };
  return Object.entries(all)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('');
}

/* Nothing that calls home or asks a person something. */
const quiet = {
  'app.update.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.systemAddon.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
};

async function portOf(profile: string): Promise<number> {
  const look = async (): Promise<number | undefined> => {
    try {
      return Number(readFileSync(join(profile, 'MarionetteActivePort'), 'utf8')) || undefined;
    } catch {
      // It is still starting.
      return undefined;
    }
  };
  return until('the port of Firefox', look);
}

interface Line {
  readonly socket: Socket;
  readonly send: (name: string, parts?: object) => Promise<unknown>;
}

/* Both sides say the length of a message, a colon, and the message. */
async function openLine(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let bytes = Buffer.alloc(0);
  let last = 0;
  const hello = Promise.withResolvers<void>();
  const take = (message: unknown): void => {
    // The first is no answer: it says who speaks.
    if (!Array.isArray(message)) return hello.resolve();
    const [, id, problem, result] = message as [number, number, object | null, unknown];
    const asked = waiting.get(id);
    waiting.delete(id);
    if (problem === null) asked?.resolve(result);
    else asked?.reject(new Error(JSON.stringify(problem).slice(0, 500)));
  };
  socket.on('error', (error) => {
    hello.reject(error);
    for (const asked of waiting.values()) asked.reject(error);
  });
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const colon = bytes.indexOf(':');
      const finish = colon + 1 + Number(bytes.toString('latin1', 0, Math.max(0, colon)));
      if (colon < 0 || bytes.length < finish) return;
      take(JSON.parse(bytes.toString('utf8', colon + 1, finish)));
      bytes = bytes.subarray(finish);
    }
  });
  await hello.promise;
  return {
    socket,
    send: (name, parts = {}) => {
      last += 1;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(last, asked);
      const text = JSON.stringify([0, last, name, parts]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
      return asked.promise;
    },
  };
}

function inside({ send }: Line): Omit<FirefoxInside, typeof Symbol.asyncDispose> {
  const run = async (script: string): Promise<unknown> =>
    ((await send('WebDriver:ExecuteScript', { script, args: [] })) as { value: unknown }).value;
  const words = (...given: readonly string[]): string =>
    given.map((one) => JSON.stringify(one)).join();
  const inBrowser = async <Value>(script: string): Promise<Value> => {
    await send('Marionette:SetContext', { value: 'chrome' });
    try {
      return (await run(script)) as Value;
    } finally {
      await send('Marionette:SetContext', { value: 'content' });
    }
  };
  const handles = async () => (await send('WebDriver:GetWindowHandles')) as readonly string[];
  return {
    open: async (url) => void (await send('WebDriver:Navigate', { url })),
    press: async (role, name) => {
      const find = `return (${findControl})(${words(role, name)})`;
      const found = await until(
        `the ${role} "${name}"`,
        () => run(find) as Promise<Record<string, string> | null>,
      );
      await send('WebDriver:ElementClick', { id: found[elementKey] });
    },
    sees: async (text) =>
      void (await until(`"${text}"`, () => run(`return (${isShown})(${words(text)})`))),
    valueOf: async (expression) => (await run(`return (${expression})`)) as never,
    pages: async () => (await handles()).length,
    toNewestPage: async () => {
      const handle = (await handles()).at(-1);
      await send('WebDriver:SwitchToWindow', { handle });
    },
    notifications: () =>
      inBrowser(`return [...Services.wm.getEnumerator('alert:alert')].map(({ document }) => ({
        title: document.getElementById('alertTitleLabel')?.getAttribute('value') ?? '',
        text: document.getElementById('alertTextLabel')?.textContent ?? '',
      }))`),
    tap: () =>
      inBrowser(`const [alert] = [...Services.wm.getEnumerator('alert:alert')].reverse();
        alert.document.getElementById('alertBox').click();`),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
