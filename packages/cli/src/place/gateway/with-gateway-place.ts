/*
 * The runs of a gateway, for as long as a command runs.
 */
import { forRunVariable } from '@clawdfather/protocol';
import type { CommandContext } from '../../command.ts';
import { flagOf } from '../../hosts/place-of-host.ts';
import type { Target } from '../../sign-in/find-gateway.ts';
import { openClient, socketTo } from '../../sign-in/open-client.ts';
import { createLinkTeller } from './link-teller.ts';
import type { Place } from '../place.ts';
import { createGatewayPlace } from './gateway-place.ts';

export async function withGatewayPlace<Result>(
  context: Pick<CommandContext, 'clock' | 'random' | 'config' | 'io'>,
  { target, host }: { readonly target: Target; readonly host: string | undefined },
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { clock, random, config } = context;
  const { client } = await openClient(target);
  const closing = new AbortController();
  const place = createGatewayPlace({
    client,
    target,
    flag: flagOf(context, target),
    host,
    forRun: config.env[forRunVariable],
    clock,
    random,
    cwd: config.cwd,
    onLink: createLinkTeller(context),
    socket: await socketTo(target),
    closing: closing.signal,
    say: (line) => void context.io.stderr.write(line).catch(() => {}),
  });
  try {
    return await use(place);
  } finally {
    // Nobody waits any more for what is still asked; the runs go on.
    closing.abort(new Error('the command is over'));
  }
}
