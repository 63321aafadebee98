/*
 * A host of its own on a wire of its own: a network namespace, joined to this one by a pair of virtual links, so that the wire can be cut,
 * drop everything, or drop a part. What runs in it is started with `wrap` before its command. Needs root.
 *
 * The addresses lie in 10.231.0.0/16. Packets to them never leave this machine: where the wire is gone, they are unreachable.
 */
import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { accessSync } from 'node:fs';
import { promisify } from 'node:util';

export interface NetHost extends AsyncDisposable {
  readonly address: string;
  /* One of its network that nothing leads to: EHOSTUNREACH at once. */
  readonly unreachable: string;
  readonly wrap: readonly string[];
  /* The host's end of the wire; ours stays, so that its route does. */
  cut(): Promise<void>;
  join(): Promise<void>;
  /* Nothing comes through, in either direction, and nothing says so. Takes the place of what dropped before. */
  drop(percent: number): Promise<void>;
  /* Nothing is dropped any more. */
  pass(): Promise<void>;
}

const programs = ['/usr/sbin/ip', '/usr/sbin/nft'];

/* For `skip`: false, or why not. */
export const netHostSkip: string | false = reasonAgainst();

const run = promisify(execFile);
const attemptsMax = 20;
const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

export async function openNetHost(): Promise<NetHost> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(`clf${randomBytes(4).toString('hex')}`, randomInt(256));
    } catch (error) {
      // Another test has these addresses.
      if (attempt === attemptsMax) throw error;
    }
  }
}

async function open(name: string, third: number): Promise<NetHost> {
  const net = `10.231.${third}`;
  const [ours, theirs] = [`${name}a`, `${name}b`];
  const inside = ['netns', 'exec', name];
  await ip('route', 'add', 'unreachable', `${net}.0/24`, 'metric', '4000000');
  const close = async (): Promise<void> => {
    await ip('netns', 'del', name).catch(() => undefined);
    await ip('link', 'del', ours).catch(() => undefined);
    await ip('route', 'del', 'unreachable', `${net}.0/24`, 'metric', '4000000');
  };
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name);
    await ip('addr', 'add', `${net}.1/30`, 'dev', ours);
    await ip('link', 'set', ours, 'up');
    await ip('-n', name, 'addr', 'add', `${net}.2/30`, 'dev', theirs);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    await ip('-n', name, 'link', 'set', theirs, 'up');
  } catch (error) {
    await close();
    throw error;
  }
  const pass = async (): Promise<void> => {
    await ip(...inside, 'nft', 'delete', 'table', 'inet', 'clf').catch(() => undefined);
  };
  return {
    address: `${net}.2`,
    unreachable: `${net}.200`,
    wrap: ['/usr/sbin/ip', ...inside],
    cut: () => ip('-n', name, 'link', 'set', theirs, 'down'),
    join: () => ip('-n', name, 'link', 'set', theirs, 'up'),
    pass,
    drop: async (percent) => {
      await pass();
      const rule = percent < 100 ? `numgen random mod 100 < ${percent} drop` : 'drop';
      const chain = (hook: string): string =>
        `chain ${hook} { type filter hook ${hook} priority 0\n${rule}\n}\n`;
      await ip(...inside, 'nft', `table inet clf {\n${chain('input')}${chain('output')}}`);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function ip(...args: readonly string[]): Promise<void> {
  await run('/usr/sbin/ip', [...args], { env });
}

function reasonAgainst(): string | false {
  if (process.getuid?.() !== 0) return 'needs root, to make a network namespace';
  try {
    for (const program of programs) accessSync(program);
    return false;
  } catch {
    return 'needs ip and nft (Debian: iproute2, nftables)';
  }
}
