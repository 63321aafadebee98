/*
 * What the time is by the gateway's clock: this device's own may be an hour off, and the times in answers are the gateway's.
 *
 * Each answer says when it was sent, to the second. Between that and our clock at the request and at the answer there is some room; a
 * difference counts only where it is larger than that room, so a slow answer moves nothing.
 */
import type { Clock } from '@clawdfather/kit';

export interface GatewayTime {
  nowMs(): number;
  /* As `fetch`, and notes the time that the answer tells. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/* The answer tells whole seconds. */
const toldToMs = 1_000;
/* A clock that is off by less is right as far as a person can tell. */
const slackMs = 5_000;

export function openGatewayTime(
  clock: Pick<Clock, 'wallMs'>,
  send: (url: string, init: RequestInit) => Promise<Response>,
): GatewayTime {
  let aheadMs = 0;
  return {
    nowMs: () => clock.wallMs() + aheadMs,
    fetch: async (url, init) => {
      const askedMs = clock.wallMs();
      const response = await send(url, init);
      const toldMs = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(toldMs)) {
        aheadMs = aheadAfter(aheadMs, { askedMs, toldMs, answeredMs: clock.wallMs() });
      }
      return response;
    },
  };
}

export interface ToldTime {
  /* By our clock. */
  readonly askedMs: number;
  readonly answeredMs: number;
  /* By the gateway's. */
  readonly toldMs: number;
}

/* Exported for tests. */
export function aheadAfter(aheadMs: number, { askedMs, answeredMs, toldMs }: ToldTime): number {
  const least = toldMs - answeredMs - slackMs;
  const most = toldMs + toldToMs - askedMs + slackMs;
  if (least <= 0 && most >= 0) return 0;
  // What fits stays, so that the time does not go to and fro with every answer.
  if (least <= aheadMs && aheadMs <= most) return aheadMs;
  return (least + most) / 2;
}
