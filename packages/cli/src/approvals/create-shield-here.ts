/*
 * The shield on this machine. It brings the tools with it, so commands that need none do not load this file.
 */
import type { Clock } from '@clawdfather/kit';
import { createShield, type Shield, type ShieldSettings } from '@clawdfather/tools';
import type { Config } from '../config.ts';
import { shieldPlacesOf, shieldSettingsOf } from './shield-places.ts';

export function createShieldHere(
  config: Config,
  clock: Clock,
  mode: ShieldSettings['mode'] = config.values['shield.mode'],
): Shield {
  const settings = { ...shieldSettingsOf(config), mode };
  return createShield({ ...shieldPlacesOf(config), clock, settings });
}
