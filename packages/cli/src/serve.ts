/*
 * The one door from the command line to the gateway: no other file may import it (ARCHITECTURE.md), and this one does so only
 * when somebody calls. Every other command stays as quick as it was.
 */
import type { Clock, Random } from '@clawdfather/kit';
import type {
  Gateway,
  GatewayConfig,
  GatewayDeps,
  LogOptions,
  OpenedLog,
} from '@clawdfather/gateway';

import { isSystemError } from './render/error-text.ts';
import { explainOpenFailure } from './runs/open-failure.ts';

export type { Gateway, GatewayConfig, GatewayDeps } from '@clawdfather/gateway';

export async function openServer(config: GatewayConfig, deps: GatewayDeps): Promise<Gateway> {
  const { openGateway } = await import('@clawdfather/gateway');
  return openGateway(config, deps);
}

export interface LinkParts {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly random: Random;
}

/* The secret of a login link that the gateway of this state directory will take, once. */
export async function leaveLoginLink({ stateDir, clock, random }: LinkParts): Promise<string> {
  const { leaveLocalLink } = await import('@clawdfather/gateway/local-link');
  return leaveLocalLink({ stateDir, clock, random }).catch(async (error: unknown) => {
    throw isSystemError(error) ? await explainOpenFailure(error, stateDir) : error;
  });
}

/* The control database as a file: copied, looked at and replaced without a server and without changing its form. */
export function loadControlFile() {
  return import('@clawdfather/gateway/control-file');
}

/* What agents of this machine ask, while no gateway is alive. */
export function loadAsksHere() {
  return import('@clawdfather/gateway/asks-here');
}

export async function openJsonLog(options: LogOptions): Promise<OpenedLog> {
  const { openLog } = await import('@clawdfather/gateway');
  return openLog(options);
}
