/*
 * The place that a command is about, for as long as the command runs.
 */
import type { CommandContext } from '../command.ts';
import { type SupervisorExtras, withSupervisor } from '../runs/with-supervisor.ts';
import { findPlaceOf, type HostFlag } from '../hosts/place-of-host.ts';
import { flagHere } from '../sign-in/find-gateway.ts';
import type { Place } from './place.ts';
import { createThisMachine } from './this-machine.ts';

/* `here`: what a supervisor of this machine gets beside the usual. */
export async function withPlace<Result>(
  context: Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'> & HostFlag,
  use: (place: Place) => Promise<Result>,
  here: SupervisorExtras = {},
): Promise<Result> {
  const target = findPlaceOf(context);
  const { host } = context.flags;
  if (target !== undefined) {
    const { withGatewayPlace } = await import('./gateway/with-gateway-place.ts');
    return withGatewayPlace(context, { target, host }, use);
  }
  const { clock, random, config } = context;
  const flag = flagHere(config);
  return withSupervisor(
    context,
    (supervisor) => use(createThisMachine({ supervisor, clock, random, config, flag, host })),
    here,
  );
}
