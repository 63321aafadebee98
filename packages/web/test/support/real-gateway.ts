/*
 * A gateway as people run it, for the app's tests: `clf serve` of the bundle in a process of its own, with the echoing agent, a state
 * directory of its own, and a proxy in front that can do what networks do.
 *
 * Browsers only ever know the proxy's address, so a gateway that was killed comes back at the same place. What runs is ended with the rig.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient } from '@clawdfather/sdk';
import {
  type CuttingProxy,
  fakeAgentCommand,
  type Gate,
  openCuttingProxy,
  openGate,
  runDirectoriesIn,
} from '@clawdfather/testkit';
import { type Served, startServing } from './serve-process.ts';
import { openTlsFront, type TlsFront } from './tls-front.ts';

export const launcher = fileURLToPath(new URL('../../../cli/bin/clawdfather.cjs', import.meta.url));
const run = promisify(execFile);

export interface RealGateway extends AsyncDisposable {
  /* What browsers are given: the proxy, or the TLS in front of it. */
  readonly url: string;
  readonly proxy: CuttingProxy;
  /* A device of the owner's that is no browser, past the proxy. */
  readonly client: Client;
  /* Where agents work that are told no directory. */
  readonly directory: string;
  /* For `sleep at NAME` of the echoing agent. */
  gate(name: string): Gate;
  /* Signs in once. */
  loginLink(): Promise<string>;
  /* `clf WORDS…` as the owner, on the machine of the gateway; what it printed. */
  clf(...words: readonly string[]): Promise<string>;
  /* As the kernel does it when memory runs out; resolves when it is gone. */
  kill(): Promise<void>;
  /* At the same place, after `kill`; resolves when it listens. The launcher: of another version than before. */
  start(launcher?: string): Promise<void>;
}

export interface RealGatewayOptions {
  /* More settings, as in the file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /* More agents beside `echo`, as in the file; they are told the rig's home. */
  readonly agents?: (home: string) => Readonly<Record<string, unknown>>;
  /* With a certificate that no authority has signed, for browsers that keep secure cookies nowhere else. */
  readonly isTls?: boolean;
  /* Of the command, where it is another version than this one. */
  readonly launcher?: string;
}

export async function openRealGateway(options: RealGatewayOptions = {}): Promise<RealGateway> {
  const home = mkdtempSync(join(tmpdir(), 'clf-app-'));
  const directory = join(home, 'work');
  mkdirSync(directory);
  // An agent may come to a gate before a test asks for it.
  mkdirSync(join(home, 'gates'));
  writeSettings(home, options);
  const env = environmentOf(home);
  const command = options.launcher ?? launcher;
  // The gateway's own port is known only after its start.
  const proxy = await openCuttingProxy('http://127.0.0.1:1');
  const front = options.isTls === true ? await openTlsFront(proxy.url, home) : undefined;
  const { url } = front ?? proxy;
  const serve = (port: number, of = command): Promise<Served> =>
    startServing({ env, command: of, flags: ['--public-url', url, '-C', directory], port });
  const clf = async (...words: readonly string[]): Promise<string> =>
    (await run(process.execPath, [command, ...words], { env })).stdout;
  let served = await serve(0);
  const { port } = served;
  proxy.target(`http://127.0.0.1:${port}`);
  await clf('login', `http://127.0.0.1:${port}`);
  return {
    url,
    proxy,
    client: createClient({ baseUrl: `http://127.0.0.1:${port}`, token: tokenIn(home) }),
    directory,
    gate: (name) => openGate(join(home, 'gates'), name),
    loginLink: async () => {
      const printed = JSON.parse(await clf('login', '--link', '--json')) as { loginLink: string };
      return printed.loginLink;
    },
    clf,
    kill: () => served.kill(),
    start: async (of) => {
      served = await serve(port, of);
    },
    [Symbol.asyncDispose]: () => close({ home, served, proxy, front, clf }),
  };
}

interface Opened {
  readonly home: string;
  readonly served: Served;
  readonly proxy: CuttingProxy;
  readonly front: TlsFront | undefined;
  readonly clf: RealGateway['clf'];
}

async function close({ home, served, proxy, front, clf }: Opened): Promise<void> {
  await served.kill();
  await front?.[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  const runs = runDirectoriesIn(join(home, 'state'));
  if (runs.length > 0) await clf('rm', '-f', '-g', 'local', ...runs);
  rmSync(home, { recursive: true, force: true });
}

function environmentOf(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    // Compiled once for all tests; with a home of their own they would all start cold.
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
    CLAWDFATHER_STATE_DIR: join(home, 'state'),
    CLAWDFATHER_FROM: 'bundle',
  };
}

/* The gates and the agent's own program are in directories that a shield would hide. */
function writeSettings(home: string, { settings = {}, agents }: RealGatewayOptions): void {
  const folder = join(home, 'config', 'clawdfather');
  mkdirSync(folder, { recursive: true });
  const command = fakeAgentCommand({
    gates: join(home, 'gates'),
    sessions: join(home, 'sessions'),
  });
  const all = {
    agents: { echo: { command }, ...agents?.(home) },
    defaultAgent: 'echo',
    shield: { mode: 'off' },
    ...settings,
  };
  writeFileSync(join(folder, 'config.jsonc'), JSON.stringify(all), { mode: 0o600 });
}

function tokenIn(home: string): string {
  const path = join(home, 'config', 'clawdfather', 'gateways.json');
  const { gateways } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly gateways: readonly { readonly token: string }[];
  };
  return gateways[0]?.token ?? '';
}
