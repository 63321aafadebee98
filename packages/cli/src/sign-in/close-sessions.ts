/*
 * All open sessions of the gateway, closed: for `clf stop --close-sessions`.
 */
import type { CommandContext } from '../command.ts';
import { withGateway } from './open-client.ts';

export function closeSessions(context: CommandContext): Promise<number> {
  return withGateway(context, async ({ client }) => (await client.sessions.closeAll()).closed);
}
