/*
 * The order in which turns wait: higher priority first, then by key. One order for a thread and for its account, so that a turn never
 * stands before an earlier one of its own thread.
 *
 * A key is a whole number with room between neighbours: moving a turn gives it a key between two others and rewrites none of them.
 */
export interface QueueSpot {
  readonly priority: number;
  readonly queueKey: number;
}

/* Between two that were put into the queue one after the other: 32 moves into the same place. */
export const keyGap = 2 ** 32;

/* Whole numbers are exact up to here. With the gap above, two million turns fit before a queue has to be empty once. */
const keyMax = Number.MAX_SAFE_INTEGER;

export function compareSpots(left: QueueSpot, right: QueueSpot): number {
  return right.priority - left.priority || left.queueKey - right.queueKey;
}

/* After the last one; near the end of the numbers the gaps get smaller. */
export function keyAfter(lastKey: number): number {
  return lastKey + Math.max(1, Math.min(keyGap, Math.floor((keyMax - lastKey) / 2)));
}

/* Before the first one. Keys may be negative. */
export function keyBefore(firstKey: number): number {
  return firstKey - Math.max(1, Math.min(keyGap, Math.floor((keyMax + firstKey) / 2)));
}

/* Undefined: there is no room between them. */
export function keyBetween(lower: number, upper: number): number | undefined {
  const middle = lower + Math.floor((upper - lower) / 2);
  return middle > lower && middle < upper ? middle : undefined;
}

/*
 * Where a turn has to stand to be directly before another one, whose priority it takes; `ahead` is the one that stands before that.
 * Undefined: no room is left between the two.
 */
export function spotBefore(target: QueueSpot, ahead: QueueSpot | undefined): QueueSpot | undefined {
  const { priority, queueKey } = target;
  // One of a higher priority is before every key of this one.
  const isFirst = ahead === undefined || ahead.priority !== priority;
  const key = isFirst ? keyBefore(queueKey) : keyBetween(ahead.queueKey, queueKey);
  return key === undefined ? undefined : { priority, queueKey: key };
}

/* At the end of the queue, with the priority of the one that was last. */
export function spotAfter({ priority, queueKey }: QueueSpot): QueueSpot {
  return { priority, queueKey: keyAfter(queueKey) };
}
