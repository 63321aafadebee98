/*
 * Debian's WebKitGTK as a walk uses it: its own little browser on a screen without a window, over W3C WebDriver.
 *
 * It keeps secure cookies over TLS only, loopback included, so the gateway has to have some (`isTls`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkProgram } from '../chromium.ts';
import {
  type Driver,
  findControl,
  findField,
  isShown,
  noteWrongs,
  shownText,
  until,
} from './driver.ts';

const driverProgram = '/usr/bin/WebKitWebDriver';
const browserPattern = '/usr/lib/*/webkit2gtk-4.1/MiniBrowser';

/* In an answer, where an element was found (W3C WebDriver, 12.1). */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

type Send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

export async function openWebkitDriver(): Promise<Driver> {
  checkProgram(driverProgram, 'webkit2gtk-driver');
  checkProgram('/usr/bin/Xvfb', 'xvfb');
  const [browserProgram] = globSync(browserPattern);
  checkProgram(browserProgram ?? browserPattern, 'libwebkit2gtk-4.1-0');
  const home = mkdtempSync(join(tmpdir(), 'clf-webkit-'));
  const screen = await openScreen();
  const env = { ...process.env, HOME: home, DISPLAY: screen.display, XDG_DATA_HOME: home };
  const port = await freePort();
  const driver = spawn(driverProgram, ['--host=127.0.0.1', `--port=${port}`], {
    env,
    stdio: 'ignore',
  });
  const send = await untilListening(`http://127.0.0.1:${port}`);
  const session = (await send('POST', '/session', {
    capabilities: {
      alwaysMatch: {
        acceptInsecureCerts: true,
        'webkitgtk:browserOptions': { binary: browserProgram, args: ['--automation'] },
      },
    },
  })) as { readonly sessionId: string };
  const at = `/session/${session.sessionId}`;
  await send('POST', `${at}/window/rect`, { width: 430, height: 900 });
  return {
    ...driverOf((method, path, body) => send(method, `${at}${path}`, body)),
    [Symbol.asyncDispose]: async () => {
      await send('DELETE', at);
      await end(driver);
      await end(screen.process);
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

function driverOf(send: Send): Omit<Driver, typeof Symbol.asyncDispose> {
  const run = (source: string, ...args: readonly unknown[]): Promise<unknown> =>
    send('POST', '/execute/sync', { script: `return (${source})(...arguments)`, args });
  const element = async (what: string, source: string, ...args: readonly string[]) => {
    const look = () => run(source, ...args) as Promise<Record<string, string>>;
    const found = await until(what, look, () => run(shownText));
    return `/element/${found[elementKey]}`;
  };
  return {
    name: 'WebKit',
    open: async (url) => {
      await send('POST', '/url', { url });
      await run(noteWrongs);
    },
    press: async (role, name) => {
      const control = await element(`the ${role} "${name}"`, findControl, role, name);
      await send('POST', `${control}/click`, {});
    },
    write: async (label, text) => {
      const field = await element(`the field "${label}"`, findField, label);
      // Shift with Enter is a new line wherever Enter alone may send.
      const keys = text.replaceAll('\n', '\uE008\uE007\uE008');
      await send('POST', `${field}/value`, { text: keys });
    },
    sees: async (text) => {
      await until(
        `"${text}"`,
        () => run(isShown, text),
        () => run(shownText),
      );
    },
    valueOf: (expression) => run(`() => (${expression})`) as Promise<never>,
    wrongs: () => run('() => globalThis.notedWrongs') as Promise<readonly string[]>,
  };
}

async function untilListening(base: string): Promise<Send> {
  const send: Send = async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { readonly value: unknown };
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value).slice(0, 500)}`);
    return value;
  };
  await until('the driver of WebKit', () => send('GET', '/status').catch(() => undefined));
  return send;
}

/* The number of the display is chosen by the server itself, so that two of them never meet. */
async function openScreen(): Promise<{ readonly process: ChildProcess; readonly display: string }> {
  const child = spawn(
    '/usr/bin/Xvfb',
    ['-displayfd', '3', '-screen', '0', '1000x1000x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const [number] = await once(child.stdio[3] as NodeJS.ReadableStream, 'data');
  return { process: child, display: `:${String(number).trim()}` };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
