/*
 * Which gateway has answered, and which of its lives this is: a header of every answer, and a field of what has no header.
 *
 * The generation grows with every start on the same state directory. So a client that sees it grow knows that the gateway was
 * restarted; a client that gets no answer knows nothing but that.
 *
 *   clawdfather-gateway: instance="0h2k…", generation=41, version="0.9.0"
 */
export const gatewayHeader = 'clawdfather-gateway';

export interface GatewayIdentity {
  readonly instanceId: string;
  readonly generation: number;
  readonly version: string;
}

/* A dictionary of RFC 9651. Ids and versions have no quotation marks. */
export function formatGatewayHeader({ instanceId, generation, version }: GatewayIdentity): string {
  return `instance="${instanceId}", generation=${generation}, version="${version}"`;
}

const pattern = /^instance="([^"]{1,64})", generation=(\d{1,15}), version="([^"]{0,64})"/;

/* Undefined: the answer has none, or is of something in between. */
export function parseGatewayHeader(text: string | null): GatewayIdentity | undefined {
  const [, instanceId, generation, version] = pattern.exec(text ?? '') ?? [];
  if (instanceId === undefined || version === undefined) return undefined;
  return { instanceId, generation: Number(generation), version };
}
