/*
 * A terminal on a run of a gateway: placeholder until the SDK's terminal is here.
 */
import type { TerminalFeed } from '../../terminal/terminal-feed.ts';
import type { OpenTerminalOptions, RunHandle } from '../place.ts';
import type { GatewayHandleDeps } from './gateway-handle.ts';

export async function openFeedAtGateway(
  _deps: GatewayHandleDeps,
  _handle: RunHandle,
  _options: OpenTerminalOptions,
): Promise<TerminalFeed> {
  throw new Error('not yet');
}
