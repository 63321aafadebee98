/*
 * What a person can set about the shield.
 */

/* `on`: the strongest form that this machine has. `require`: the whole one, or nothing starts. `off`: none. */
export const shieldModes = ['on', 'require', 'off'] as const;
export type ShieldMode = (typeof shieldModes)[number];

/* What can be let in again, by name. */
export const shieldDoors = ['docker', 'podman', 'ssh', 'gpg', 'dbus', 'postgresql', 'tmp'] as const;
export type ShieldDoor = (typeof shieldDoors)[number];

/* Whoever reaches these can have commands run outside of every shield. */
export const wideDoors: readonly ShieldDoor[] = ['docker', 'podman', 'dbus', 'tmp'];

export interface ShieldSettings {
  readonly mode: ShieldMode;
  /* Files and directories to hide beside the usual ones. Absolute. */
  readonly hide: readonly string[];
  readonly open: readonly ShieldDoor[];
  /* Empty: everything that the user may write to, but for what is protected. Else only these, the working tree, and private places. */
  readonly write: readonly string[];
}

export const usualShield: ShieldSettings = { mode: 'on', hide: [], open: [], write: [] };
