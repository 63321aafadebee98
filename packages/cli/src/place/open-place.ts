/*
 * The place that a command is about, for as long as the command runs.
 */
import type { CommandContext } from '../command.ts';
import { type SupervisorExtras, withSupervisor } from '../runs/with-supervisor.ts';
import { findPlace, type Target } from '../sign-in/find-gateway.ts';
import { createLinkTeller } from './link-teller.ts';
import type { Place } from './place.ts';
import { createThisMachine } from './this-machine.ts';

type Context = Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'>;

/* `here`: what a supervisor of this machine gets beside the usual. */
export async function withPlace<Result>(
  context: Context,
  use: (place: Place) => Promise<Result>,
  here: SupervisorExtras = {},
): Promise<Result> {
  const target = findPlace(context);
  const { clock, random, config } = context;
  if (target === undefined) {
    const useHere = (supervisor: Parameters<typeof createThisMachine>[0]['supervisor']) =>
      use(createThisMachine({ supervisor, clock, config }));
    return withSupervisor(context, useHere, here);
  }
  const { openClient } = await import('../sign-in/open-client.ts');
  const { createGatewayPlace } = await import('./gateway/gateway-place.ts');
  const { client } = await openClient(target);
  const onLink = createLinkTeller(context);
  const socket = await pinnedSocketOf(target);
  const closing = new AbortController();
  const place = createGatewayPlace({
    client,
    target,
    clock,
    random,
    cwd: config.cwd,
    onLink,
    socket,
    closing: closing.signal,
  });
  try {
    return await use(place);
  } finally {
    // Nobody waits any more for what is still asked; the runs go on.
    closing.abort(new Error('the command is over'));
  }
}

async function pinnedSocketOf({ certificate }: Target) {
  if (certificate === undefined) return undefined;
  const { createPinnedSocket } = await import('../sign-in/pinned-socket.ts');
  return createPinnedSocket(certificate);
}
