/*
 * Which gateway has answered, and which of its lives this is: a header of every answer, and a field of what has no header.
 *
 * The generation grows with every start on the same state directory. So a client that sees it grow knows that the gateway was
 * restarted; a client that gets no answer knows nothing but that.
 *
 *   clawdfather-gateway: instance="0h2k…", generation=41, version="0.9.0", oldest-app="0.8.0"
 */
export const gatewayHeader = 'clawdfather-gateway';

export interface GatewayIdentity {
  readonly instanceId: string;
  readonly generation: number;
  readonly version: string;
  /* The oldest version of the web app that this gateway still serves well. Only in the header; absent: it does not say. */
  readonly oldestApp?: string | undefined;
}

/* A dictionary of RFC 9651. Ids and versions have no quotation marks. */
export function formatGatewayHeader(identity: GatewayIdentity): string {
  const { instanceId, generation, version, oldestApp } = identity;
  const app = oldestApp === undefined ? '' : `, oldest-app="${oldestApp}"`;
  return `instance="${instanceId}", generation=${generation}, version="${version}"${app}`;
}

const pattern =
  /^instance="([^"]{1,64})", generation=(\d{1,15}), version="([^"]{0,64})"(?:, oldest-app="([^"]{0,64})")?/;

/* Undefined: the answer has none, or is of something in between. */
export function parseGatewayHeader(text: string | null): GatewayIdentity | undefined {
  const [, instanceId, generation, version, oldestApp] = pattern.exec(text ?? '') ?? [];
  if (instanceId === undefined || version === undefined) return undefined;
  const identity = { instanceId, generation: Number(generation), version };
  return oldestApp === undefined ? identity : { ...identity, oldestApp };
}

/* An app of this version has to be loaded anew before it goes on. What cannot be compared is not too old. */
export function isAppTooOld(
  appVersion: string,
  { oldestApp }: Pick<GatewayIdentity, 'oldestApp'>,
): boolean {
  const [mine, oldest] = [numbersOf(appVersion), numbersOf(oldestApp ?? '')];
  const at = mine.findIndex((number, index) => number !== oldest[index]);
  return at !== -1 && (mine[at] ?? 0) < (oldest[at] ?? 0);
}

/* Of `1.2.3-rc.4` the first three: a candidate counts as its release. */
function numbersOf(version: string): readonly number[] {
  return (/^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number);
}
