/*
 * A home with secrets in it, of root or of an ordinary user that the test makes, and a rig whose programs run as that user. Commands in
 * a shield are tried in it, and the same outside of one, to see that a try that fails inside would have worked.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readConfinementSupport, shimBinaryPath } from '@clawdfather/supervisor';
import { type CliPlace, type CliRig, launcherPath } from './cli-process.ts';
import { addGroup, addUser } from './two-users.ts';

/* What no command in a shield may say. */
export const canary = 'clf_canary_0123456789';
export const searchPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

const { landlock, hasNamespaces } = await readConfinementSupport(shimBinaryPath());
const isRoot = process.getuid?.() === 0;
/* A checkout in a private directory cannot be run by another user; this one belongs to nobody. */
const [setpriv, ...asNobody] = asUser(54_323, 54_323);
const tried = [...asNobody, process.execPath, '--check', launcherPath];
const canBeUser = isRoot && spawnSync(setpriv, tried).status === 0;
const noShield = !(landlock >= 6 && hasNamespaces) && 'the whole shield cannot be had here';

export const shieldUsers = [
  { name: 'root', isUser: false, skip: noShield || (!isRoot && 'needs root') },
  { name: 'an ordinary user', isUser: true, skip: noShield || (!canBeUser && 'needs root') },
] as const;

export interface ShieldSite<R extends CliRig> {
  readonly rig: R;
  readonly home: string;
  readonly project: string;
  readonly runtimeDir: string;
  readonly userName: string;
  readonly wrap: readonly string[];
  /* As the same user, without a shield. */
  readonly outside: (argv: readonly string[], input?: string) => SpawnSyncReturns<string>;
  /* Gives it to the user. */
  readonly own: (path: string) => void;
}

/* Homes are not in /tmp, where a shield has its own. */
export function createShieldSite<R extends CliRig>(
  t: TestContext,
  isUser: boolean,
  createRig: (t: TestContext, place: CliPlace) => R,
): ShieldSite<R> {
  using making = new DisposableStack();
  const root = mkdtempSync('/var/lib/clf-shield-');
  making.defer(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const { uid, gid, userName, home } = isUser
    ? makeUser(making, root)
    : { uid: 0, gid: 0, userName: 'root', home: join(root, 'home') };
  const [project, runtimeDir] = [join(home, 'project'), join(root, 'runtime')];
  for (const path of [project, join(home, '.config/clawdfather'), join(home, '.ssh'), runtimeDir]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  for (const path of ['.config/clawdfather/gateways.json', '.ssh/id']) {
    writeFileSync(join(home, path), `{"token":"${canary}"}\n`, { mode: 0o600 });
  }
  writeFileSync(join(home, '.bashrc'), 'true\n');
  writeFileSync(join(project, 'mine'), 'mine\n');
  if (isUser) spawnSync('chown', ['-R', `${uid}:${gid}`, home, runtimeDir]);
  chmodSync(home, 0o711);
  const wrap = isUser ? asUser(uid, gid) : [];
  const rig = createRig(t, { home, wrap });
  // After the rig, which ends what runs in it.
  const made = making.move();
  t.after(() => made.dispose());
  Object.assign(rig.env, {
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_RUNTIME_DIR: runtimeDir,
    PATH: searchPath,
    // Of the program that starts commands, for none of them.
    AGENT_CANARY: canary,
  });
  return {
    rig,
    home,
    project,
    runtimeDir,
    userName,
    wrap,
    outside: (argv, input = '') => {
      const [program = '', ...args] = [...wrap, ...argv];
      return spawnSync(program, args, { encoding: 'utf8', env: rig.env, cwd: project, input });
    },
    own: (path) => chownSync(path, uid, gid),
  };
}

function asUser(uid: number, gid: number): [string, ...string[]] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

/* The group has another name: one that is named like the user goes with the user. */
function makeUser(made: DisposableStack, root: string) {
  const gid = addGroup(made, `clfk${process.pid}`);
  const userName = `clfh${process.pid}`;
  const { uid, home } = addUser(made, { name: userName, gid, root });
  return { uid, gid, userName, home };
}
