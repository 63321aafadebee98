/*
 * The shield of agents' commands: how much of it there is, and the description that a start hands to the supervisor.
 *
 * What it depends on (links, directories in a home) is read again after a few seconds. If it is the same as before, the same description
 * is used, to the letter, so that spawnd has its namespace. Else the description has another mark: a mount is gone from its namespace when
 * its place is removed or another file is moved there, as most programs do when they save one.
 */
import type { Clock } from '@clawdfather/kit';
import {
  type ConfinementSupport,
  readConfinementSupport,
  shimBinaryPath,
  type ShieldRequest,
} from '@clawdfather/supervisor';
import type { SeenFiles } from '../approvals/seen-files.ts';
import { ToolsError } from '../errors.ts';
import { readIdentities } from './place-identities.ts';
import { planShield } from './plan-shield.ts';
import { createSeenFiles } from './see-files.ts';
import { readShieldFacts, type ShieldUser } from './shield-facts.ts';
import { asksAlways, formatShield, type ShieldState, shieldStateOf } from './shield-level.ts';
import type { ShieldSettings } from './shield-settings.ts';

/* What a program knows about itself and its user. */
export interface ShieldPlaces {
  /* Directories of our own: settings, state, compiled code. They are made where they are missing. */
  readonly ownDirectories: readonly string[];
  /* Directories of ours with what is given to agents: there, and read-only. They are made where they are missing. */
  readonly given: readonly string[];
  /* Further files and directories of our own: secrets, keys, databases. */
  readonly ours: readonly string[];
  /* More of these, which other programs of ours have made known since. Asked again and again; what it throws keeps commands from starting. */
  readonly laterOurs?: (() => readonly string[]) | undefined;
  /* What our next start runs. */
  readonly programs: readonly string[];
  /* Below one of our own directories; in it are those that are put in the place of /tmp and the like. */
  readonly privateDir: string;
  /* HOME, XDG_RUNTIME_DIR and PATH of the user that we run as. */
  readonly home: string | undefined;
  readonly runtimeDir: string | undefined;
  readonly searchPath: string;
}

export interface ShieldDeps extends ShieldPlaces {
  readonly clock: Clock;
  readonly settings: ShieldSettings;
  /* What this machine offers; replaced in tests. */
  readonly support?: () => Promise<ConfinementSupport>;
}

export interface ShieldPlace {
  /* Of the session: it is there in any case. */
  readonly tree: string | undefined;
  /* Absent: the user that we run as. */
  readonly user?: ShieldUser | undefined;
  /* The directory of its tool socket, which is let in. Absent: it has none. */
  readonly toolsDir?: string | undefined;
  /* The directory with the socket of an SSH host, which is let in. Absent: none is. */
  readonly sshDir?: string | undefined;
}

export interface Shield {
  readonly settings: ShieldSettings;
  state(): Promise<ShieldState>;
  /* Why every command is asked about; undefined: the policy decides. Throws `shield-unavailable` where it is required. */
  whyAlwaysAsk(): Promise<string | undefined>;
  /* Undefined: no shield can be had, or it is switched off. Throws `shield-unavailable` where it is required. */
  describe(place: ShieldPlace): Promise<ShieldRequest | undefined>;
  /* Where a command finds what it names. Undefined: where we do. Throws as `describe` does. */
  seenFrom(place: Omit<ShieldPlace, 'toolsDir' | 'sshDir'>): Promise<SeenFiles | undefined>;
}

const domainAlone: ShieldRequest = { steps: undefined, hasDomain: true };

const keptMs = 5_000;
/* Trees of sessions, and users. */
const keptMax = 64;

export function createShield(deps: ShieldDeps): Shield {
  const { settings, clock } = deps;
  let support: Promise<ConfinementSupport> | undefined;
  const state = async (): Promise<ShieldState> => {
    support ??= (deps.support ?? readSupport)();
    return shieldStateOf(await support, settings);
  };
  const requiredState = async (): Promise<ShieldState> => {
    const found = await state();
    if (settings.mode === 'require' && found.missing.length > 0) throw unavailable(found);
    return found;
  };
  const kept = new Map<string, { readonly atMs: number; readonly found: Promise<Found> }>();
  let count = 0;
  const requestFor = async (place: ShieldPlace, hasDomain: boolean): Promise<ShieldRequest> => {
    // What has a socket of its own is started once, or seldom.
    if (place.toolsDir !== undefined || place.sshDir !== undefined) {
      const steps = await readSteps(deps, place).catch(unprepared);
      return { steps, hasDomain, mark: `${place.toolsDir ?? ''} ${place.sshDir ?? ''}` };
    }
    const key = JSON.stringify([place.tree, place.user?.uid]);
    const now = clock.monotonicMs();
    const last = kept.get(key);
    if (last !== undefined && now - last.atMs < keptMs) return (await last.found).request;
    const found = (async (): Promise<Found> => {
      const steps = await readSteps(deps, place);
      const identity = await readIdentities(steps);
      const before = await last?.found.catch(() => undefined);
      // One object as long as it holds: its bytes are made once.
      if (before?.identity === identity) return before;
      count += 1;
      // Counted, since what is there may become what it was before, while the mounts that it had then are gone.
      return { identity, request: { steps, hasDomain, mark: `${count} ${identity}` } };
    })().catch(unprepared);
    kept.delete(key);
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, { atMs: now, found });
    // What could not be read is read again.
    found.catch(() => kept.delete(key));
    return (await found).request;
  };
  const describe = async (place: ShieldPlace): Promise<ShieldRequest | undefined> => {
    const { hasNamespace, hasDomain } = await requiredState();
    if (hasNamespace) return await requestFor(place, hasDomain);
    return hasDomain ? domainAlone : undefined;
  };
  return {
    settings,
    state,
    whyAlwaysAsk: async () => {
      const found = await requiredState();
      return asksAlways(found, settings)
        ? `agents are not fully shielded here (${formatShield(found)}), so everything is asked about`
        : undefined;
    },
    describe,
    seenFrom: async ({ tree, user }) => {
      const steps = (await describe({ tree, user }))?.steps;
      return steps === undefined ? undefined : createSeenFiles(steps);
    },
  };
}

interface Found {
  /* Of the steps, and of what is at their places. */
  readonly identity: string;
  readonly request: ShieldRequest;
}

type Steps = NonNullable<ShieldRequest['steps']>;

async function readSteps(deps: ShieldDeps, place: ShieldPlace): Promise<Steps> {
  const { tree, user, toolsDir, sshDir } = place;
  const { settings, home } = deps;
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, home };
  const facts = await readShieldFacts({
    ...deps,
    ours: [...new Set([...deps.ours, ...(deps.laterOurs?.() ?? [])])],
    user: user ?? own,
    hide: settings.hide,
    tree,
    toolsDir,
    sshDir,
    runtimeDir: user === undefined ? deps.runtimeDir : `/run/user/${user.uid}`,
  });
  return planShield(facts, settings);
}

/* A full disk, a file where a directory has to be. */
function unprepared(cause: unknown): never {
  const why = cause instanceof Error ? cause.message : String(cause);
  throw new ToolsError('shield-unavailable', `the shield cannot be prepared: ${why}`, {
    cause,
    hint: 'Nothing was started. Mend what it names, or look with "clf doctor".',
  });
}

function unavailable(state: ShieldState): ToolsError {
  return new ToolsError('shield-unavailable', `the shield is required: ${formatShield(state)}`, {
    hint: '"clf doctor" says what this machine lacks; shield.mode "on" takes what there is, and asks a person about every command.',
  });
}

async function readSupport(): Promise<ConfinementSupport> {
  try {
    return await readConfinementSupport(shimBinaryPath());
  } catch {
    const why = 'the shim has not been built';
    return { landlock: 0, why, hasNamespaces: false, whyNoNamespaces: why };
  }
}
