/*
 * The header of every answer that says which gateway has answered, and since which start (protocol: gateway-identity.ts). Made once,
 * since it is on the way of every request.
 */
import {
  formatGatewayHeader,
  gatewayHeader,
  type GatewayIdentity,
} from '@clawdfather/protocol/api';

/* The app of an earlier version calls endpoints as they were then. Raise this with every change that such an app would stumble over. */
export const oldestApp = '0.1.0';

/* Undefined in the moment between listening and the new generation. */
export type GatewayHeader = () => string | undefined;

export function createGatewayHeader(instance: {
  readonly identity: GatewayIdentity | undefined;
}): GatewayHeader {
  let text: string | undefined;
  return () => {
    if (text === undefined && instance.identity !== undefined) {
      text = formatGatewayHeader({ ...instance.identity, oldestApp });
    }
    return text;
  };
}

/* For answers that are no reply of the framework's. */
export function gatewayHeadersOf(header: GatewayHeader): Readonly<Record<string, string>> {
  const text = header();
  return text === undefined ? {} : { [gatewayHeader]: text };
}
