/*
 * Task: start /bin/true, read its output, know its end; over and over.
 */
import {
  measureClosedLoop,
  type ClosedLoop,
  type ClosedLoopResult,
} from '../measure/closed-loop.ts';
import type { TaskContext } from './task-context.ts';

const command = ['/bin/true'] as const;

export async function measureSpawn(
  { contender }: TaskContext,
  loop: ClosedLoop,
): Promise<ClosedLoopResult> {
  return measureClosedLoop(loop, () => contender.run(command));
}
