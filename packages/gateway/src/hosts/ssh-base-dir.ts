/*
 * Where masters have their directories: private, and short enough for sockets. The state directory, if its path is not too long;
 * else XDG_RUNTIME_DIR, which is ours alone as well; else a directory of our own in /tmp, checked as every private one is. None of them
 * is to be seen in a shield.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openPrivateDir } from '@clawdfather/kit/files';
import { socketPathBytesMax } from '@clawdfather/ssh';
import { GatewayError } from '../errors.ts';

/* `/` + twelve characters of a name + `/m`; a signer's socket is longer, and has 107. */
const below = 30;

/* Undefined: no path is short enough. */
export function sshBaseDirOf(stateDir: string, runtimeDir: string | undefined): string | undefined {
  return candidatesOf(stateDir, runtimeDir).find(
    (path) => Buffer.byteLength(path) + below <= socketPathBytesMax,
  );
}

function candidatesOf(stateDir: string, runtimeDir: string | undefined): readonly string[] {
  return [
    join(stateDir, 'ssh'),
    ...(runtimeDir === undefined ? [] : [join(runtimeDir, 'clawdfather-ssh')]),
    join('/tmp', `clf-ssh-${process.getuid?.() ?? 0}-${hashOf(stateDir)}`),
  ];
}

/* Throws `ssh-directory-unusable`. */
export function openSshBaseDir(stateDir: string, runtimeDir: string | undefined): string {
  const short = sshBaseDirOf(stateDir, runtimeDir);
  if (short === undefined) {
    throw new GatewayError(
      'ssh-directory-unusable',
      'no private directory has a path short enough for sockets',
      {
        detail: { candidates: candidatesOf(stateDir, runtimeDir) },
        hint: `Use a state directory with a path of at most ${socketPathBytesMax - below} bytes.`,
      },
    );
  }
  openPrivateDir(short, ({ path, why }) => {
    return new GatewayError('ssh-directory-unusable', `${path}: ${why}`, {
      hint: 'It has to be yours alone (0700).',
    });
  });
  return short;
}

/* One for each state directory. */
function hashOf(stateDir: string): string {
  return createHash('sha256').update(stateDir).digest('hex').slice(0, 12);
}
