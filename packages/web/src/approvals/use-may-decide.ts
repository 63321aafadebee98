/*
 * Whether something can be decided now, and if not, why. A decision is never kept for later: what is allowed an hour afterwards is not
 * what was looked at.
 */
import { useApp } from '../app-context.ts';
import type { Link } from '../state/next-connection.ts';

export interface Obstacle {
  readonly why: string;
  /* A drop that may heal within its four seconds: buttons take no tap, and nothing is said or moved unless somebody tries. */
  readonly isBrief: boolean;
}

export function useObstacle(): Obstacle | undefined {
  const { connection } = useApp();
  return connection.canDecide.value ? undefined : obstacleOf(connection.state.value.link.kind);
}

/* For what says it once for many rows. */
export function useWhyNot(): string | undefined {
  const obstacle = useObstacle();
  return obstacle?.isBrief === true ? undefined : obstacle?.why;
}

export function obstacleOf(link: Link['kind']): Obstacle {
  const why =
    link === 'offline'
      ? 'This device is offline. You can decide when it is back.'
      : 'Not connected. You can decide as soon as the gateway answers.';
  return { why, isBrief: link === 'dropped' };
}
