/*
 * The lanes of the one queue. A turn runs in three at a time: that of its agent, that of its account, and that of the gateway that runs
 * it. The first two are counted over all gateways of a database, because what they share (an agent's provider, a person's patience) is
 * shared by all of them; the third is this machine's.
 */
export const laneNames = ['agent', 'account', 'gateway'] as const;
export type LaneName = (typeof laneNames)[number];

export interface LaneLimits {
  readonly activeMax: number;
  readonly waitingMax: number;
  /* A turn that could have run since so long, and did not, fails. */
  readonly waitMsMax: number;
}

export type LaneNumbers = Readonly<Record<LaneName, number>>;

/*
 * What has to hold in the lanes for a change to be written; the store compares it in the same transaction (X1). `admit`: fewer turns
 * than this run. `enqueue`: fewer wait.
 */
export type LaneClaim =
  | { readonly kind: 'admit'; readonly instanceId: string; readonly below: LaneNumbers }
  | { readonly kind: 'enqueue'; readonly below: LaneNumbers };

/* Nothing was written: the first lane that has no room. */
export interface LaneFull {
  readonly outcome: 'lane-full';
  readonly lane: LaneName;
  readonly count: number;
  readonly max: number;
}
