/*
 * The shield of agents' commands: how much of it there is, and the description that a start hands to the supervisor.
 *
 * What it depends on (links, directories in a home) is read again after a few seconds. Until then the same description is used, to the
 * letter, so that spawnd has its namespace.
 */
import type { Clock } from '@clawdfather/kit';
import {
  type ConfinementSupport,
  readConfinementSupport,
  shimBinaryPath,
  type ShieldRequest,
} from '@clawdfather/supervisor';
import { ToolsError } from '../errors.ts';
import { planShield } from './plan-shield.ts';
import { readShieldFacts, type ShieldUser } from './shield-facts.ts';
import { asksAlways, formatShield, type ShieldState, shieldStateOf } from './shield-level.ts';
import type { ShieldSettings } from './shield-settings.ts';

/* What a program knows about itself and its user. */
export interface ShieldPlaces {
  /* Directories of our own: settings, state, compiled code. They are made where they are missing. */
  readonly ownDirectories: readonly string[];
  /* Further files and directories of our own: secrets, keys, databases. */
  readonly ours: readonly string[];
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
}

export interface Shield {
  readonly settings: ShieldSettings;
  state(): Promise<ShieldState>;
  /* Why every command is asked about; undefined: the policy decides. */
  whyAlwaysAsk(): Promise<string | undefined>;
  /* Undefined: no shield can be had, or it is switched off. Throws `shield-unavailable` where it is required. */
  describe(place: ShieldPlace): Promise<ShieldRequest | undefined>;
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
  const kept = new Map<
    string,
    { readonly atMs: number; readonly request: Promise<ShieldRequest> }
  >();
  const requestFor = async (place: ShieldPlace, hasDomain: boolean): Promise<ShieldRequest> => {
    const key = JSON.stringify([place.tree, place.user?.uid]);
    const now = clock.monotonicMs();
    const last = kept.get(key);
    if (last !== undefined && now - last.atMs < keptMs) return await last.request;
    // One object as long as it holds: its bytes are made once.
    const request = readSteps(deps, place).then((steps) => ({ steps, hasDomain }), unprepared);
    kept.delete(key);
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, { atMs: now, request });
    // What could not be read is read again.
    request.catch(() => kept.delete(key));
    return await request;
  };
  return {
    settings,
    state,
    whyAlwaysAsk: async () => {
      const found = await state();
      return asksAlways(found, settings)
        ? `agents are not fully shielded here (${formatShield(found)}), so everything is asked about`
        : undefined;
    },
    describe: async (place) => {
      const found = await state();
      if (settings.mode === 'require' && found.missing.length > 0) throw unavailable(found);
      const { hasNamespace, hasDomain } = found;
      if (hasNamespace) return await requestFor(place, hasDomain);
      return hasDomain ? domainAlone : undefined;
    },
  };
}

type Steps = NonNullable<ShieldRequest['steps']>;

async function readSteps(deps: ShieldDeps, { tree, user }: ShieldPlace): Promise<Steps> {
  const { settings, home } = deps;
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, home };
  const facts = await readShieldFacts({
    ...deps,
    user: user ?? own,
    hide: settings.hide,
    tree,
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
