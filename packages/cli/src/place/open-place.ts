/*
 * The place that a command is about, for as long as the command runs.
 */
import type { CommandContext } from '../command.ts';
import { type SupervisorExtras, withSupervisor } from '../runs/with-supervisor.ts';
import { findPlace, flagHere } from '../sign-in/find-gateway.ts';
import type { Place } from './place.ts';
import { createThisMachine } from './this-machine.ts';

/* `here`: what a supervisor of this machine gets beside the usual. */
export async function withPlace<Result>(
  context: Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'>,
  use: (place: Place) => Promise<Result>,
  here: SupervisorExtras = {},
): Promise<Result> {
  const target = findPlace(context);
  if (target !== undefined) {
    const { withGatewayPlace } = await import('./gateway/with-gateway-place.ts');
    return withGatewayPlace(context, target, use);
  }
  const { clock, config } = context;
  return withSupervisor(
    context,
    (supervisor) => use(createThisMachine({ supervisor, clock, config, flag: flagHere(config) })),
    here,
  );
}
