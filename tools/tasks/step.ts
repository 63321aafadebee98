/*
 * One step of a task: a named command, run in the repository's root with the
 * caller's output. A step fails the task at once; the next ones do not run.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const sourceConditionFlag = '--conditions=@clawdfather/source';

export const rootPath = fileURLToPath(new URL('../../', import.meta.url));

export interface Step {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/* A Node step passes the condition on to Node processes that it starts. */
export function nodeStep(name: string, args: readonly string[]): Step {
  return { name, command: process.execPath, args };
}

/* True when the step succeeded. The exit status of a failed one becomes ours. */
export function runStep(step: Step): boolean {
  process.stdout.write(`\n> ${step.name}\n`);
  const result = spawnSync(step.command, [...step.args], {
    cwd: rootPath,
    stdio: 'inherit',
    env: environmentWithSourceCondition(process.env),
  });
  if (result.error !== undefined) {
    process.stderr.write(`${step.name}: cannot start ${step.command}: ${result.error.message}\n`);
  }
  if (result.status === 0) return true;
  process.stderr.write(`${step.name} failed\n`);
  process.exitCode = result.status ?? 1;
  return false;
}

export function runSteps(steps: readonly Step[]): boolean {
  return steps.every(runStep);
}

function environmentWithSourceCondition(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const options = env['NODE_OPTIONS'] ?? '';
  if (options.includes(sourceConditionFlag)) return env;
  return { ...env, NODE_OPTIONS: `${options} ${sourceConditionFlag}`.trim() };
}
