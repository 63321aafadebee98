/*
 * How much of a shield this machine offers, and what follows from it. Pure.
 *
 * `full`     no agent's command reaches what is ours, or decides in a person's place
 * `opened`   full, but for what a person let in on purpose
 * `partial`  the strongest form that can be had here; what is missing is named
 * `none`     nothing can be had, or a person switched it off
 */
import type { ConfinementSupport } from '@clawdfather/supervisor';
import type { ShieldSettings } from './shield-settings.ts';
import { wideDoors } from './shield-settings.ts';

export const shieldLevels = ['full', 'opened', 'partial', 'none'] as const;
export type ShieldLevel = (typeof shieldLevels)[number];

export interface ShieldState {
  readonly level: ShieldLevel;
  /* What keeps it from being full, for people. */
  readonly missing: readonly string[];
  readonly hasNamespace: boolean;
  readonly hasDomain: boolean;
}

/* Signals and abstract sockets are scoped from this version of Landlock's interface on (Linux 6.12). */
const wholeLandlock = 6;
/* The first with which files can be moved between directories inside a domain (Linux 5.19). */
const leastLandlock = 2;

export function shieldStateOf(support: ConfinementSupport, settings: ShieldSettings): ShieldState {
  if (settings.mode === 'off') {
    const missing = ['it is switched off (shield.mode)'];
    return { level: 'none', missing, hasNamespace: false, hasDomain: false };
  }
  const hasNamespace = support.hasNamespaces;
  const hasDomain = support.landlock >= leastLandlock;
  const missing = missingOf(support);
  if (missing.length > 0) {
    const level = hasNamespace || hasDomain ? 'partial' : 'none';
    return { level, missing, hasNamespace, hasDomain };
  }
  const { open } = settings;
  if (open.length === 0) return { level: 'full', missing: [], hasNamespace, hasDomain };
  return { level: 'opened', missing: open.map(openedText), hasNamespace, hasDomain };
}

function missingOf(support: ConfinementSupport): readonly string[] {
  const { landlock, why, hasNamespaces, whyNoNamespaces } = support;
  return [
    ...(hasNamespaces
      ? []
      : [`commands cannot have mounts of their own (${whyNoNamespaces ?? 'unknown'})`]),
    ...(landlock >= wholeLandlock ? [] : [landlockText(landlock, why)]),
  ];
}

function landlockText(landlock: number, why: string | undefined): string {
  if (landlock === 0) return `there is no Landlock (${why ?? 'unknown'})`;
  return `Landlock is older than Linux 6.12 (version ${landlock}): signals and abstract sockets of other programs are in reach`;
}

function openedText(door: ShieldSettings['open'][number]): string {
  return wideDoors.includes(door)
    ? `${door} is open (shield.open), which equals full access to this machine`
    : `${door} is open (shield.open)`;
}

/* With less than a person chose, every command of an agent is asked about. */
export function asksAlways({ level }: ShieldState, { mode }: ShieldSettings): boolean {
  return mode !== 'off' && (level === 'partial' || level === 'none');
}

/* In a few words, for lists and results. */
export function formatShield({ level, missing }: ShieldState): string {
  return missing.length === 0 ? level : `${level}: ${missing.join('; ')}`;
}
