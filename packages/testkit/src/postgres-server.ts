/*
 * A real PostgreSQL for tests: its own directory, a socket in it and no port, gone with everything when it is closed.
 *
 * PostgreSQL refuses to run as root, so root's tests run it as `nobody`. It does not sync: tests kill processes, not the
 * machine, and what a process has written the kernel keeps.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSystemClock } from '@clawdfather/kit';

export interface PostgresServer extends AsyncDisposable {
  readonly socketPath: string;
  /** A fresh, empty database: how to connect to it. */
  createDatabase(): Promise<PostgresAddress>;
  /**
   * `restart` as a package upgrade does it: sessions are cut off, what was committed stays. `crash` is a kill -9 of the
   * postmaster, and a start that recovers.
   */
  restartBy(manner: 'restart' | 'crash'): Promise<void>;
}

export interface PostgresAddress {
  readonly connectionString: string;
  readonly database: string;
  /** The same database through something that listens on this port of the loopback. */
  through(port: number): string;
}

const user = 'tester';
const nobody = 65_534;
const debianRoot = '/usr/lib/postgresql';

/** Where the programs are, or undefined: such tests skip and say so. */
export function findPostgres(): string | undefined {
  if (!existsSync(debianRoot)) return undefined;
  return readdirSync(debianRoot)
    .toSorted((left, right) => Number(right) - Number(left))
    .map((version) => join(debianRoot, version, 'bin'))
    .find((directory) => existsSync(join(directory, 'initdb')));
}

export async function openPostgresServer(programs: string): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-postgres-'));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) await chown(directory, nobody, nobody);
  const data = join(directory, 'data');
  const options = { ...identity, cwd: directory, env: { PATH: programs, LC_ALL: 'C.UTF-8' } };
  const run = async (program: string, args: readonly string[]): Promise<void> => {
    await promisify(execFile)(join(programs, program), args, options);
  };
  const start = (): Promise<ChildProcess> =>
    startServer(
      /* A test run that is killed takes its server along. */
      spawn(
        '/usr/bin/setpriv',
        ['--pdeathsig', 'INT', join(programs, 'postgres'), ...serverArguments(data, directory)],
        options,
      ),
    );

  await run('initdb', ['-D', data, '-U', user, '--auth=trust', '--no-sync', '--encoding=UTF8']);
  let server = await start();
  let databases = 0;
  return {
    socketPath: join(directory, '.s.PGSQL.5432'),
    createDatabase: async () => {
      databases += 1;
      const database = `test${databases}`;
      await run('createdb', ['-h', directory, '-U', user, database]);
      const host = encodeURIComponent(directory);
      return {
        connectionString: `postgres://${user}@${host}/${database}`,
        database,
        through: (port) => `postgres://${user}@127.0.0.1:${port}/${database}`,
      };
    },
    restartBy: async (manner) => {
      await (manner === 'crash' ? killServer(server) : stopServer(server));
      server = await startPatiently(start);
    },
    [Symbol.asyncDispose]: async () => {
      await stopServer(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function serverArguments(data: string, directory: string): readonly string[] {
  const settings = ['fsync=off', 'full_page_writes=off', 'listen_addresses='];
  return ['-D', data, '-k', directory, ...settings.flatMap((setting) => ['-c', setting])];
}

/* It says so on its standard error, in these words since 2000. */
const readyWords = 'database system is ready to accept connections';

function startServer(child: ChildProcess): Promise<ChildProcess> {
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-8_192);
    if (said.includes(readyWords)) resolve(child);
  });
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said}`)));
  return promise;
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  /* "Fast": sessions are cut off. */
  child.kill('SIGINT');
  await promise;
}

async function killServer(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  await promise;
}

/* A killed postmaster's sessions go when they notice; until then their memory is in use, and a start is refused. */
const startAttemptsMax = 200;
const startPauseMs = 25;

async function startPatiently(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  const clock = createSystemClock();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === startAttemptsMax) throw error;
    }
    await clock.sleep(startPauseMs);
  }
}
