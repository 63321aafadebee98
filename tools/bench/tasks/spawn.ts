/*
 * Task: start a command, read its output, know its end; over and over. It is /bin/true unless another program is named.
 */
import {
  measureClosedLoop,
  type ClosedLoop,
  type ClosedLoopResult,
} from '../measure/closed-loop.ts';
import type { TaskContext } from './task-context.ts';

export interface SpawnLoop extends ClosedLoop {
  readonly program?: string;
}

export async function measureSpawn(
  { contender }: TaskContext,
  { program = '/bin/true', ...loop }: SpawnLoop,
): Promise<ClosedLoopResult> {
  return measureClosedLoop(loop, () => contender.run([program]));
}
