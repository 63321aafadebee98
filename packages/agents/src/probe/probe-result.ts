/*
 * What comes of trying an agent.
 */
import type { AgentCapabilities } from '../rows.ts';
import type { JsonObject } from '../wire/json-rpc.ts';

export const probeOutcomes = [
  'works',
  /* Nothing ran: the program is not there, or the start was refused. */
  'not-startable',
  /* It wants somebody to sign in. */
  'not-signed-in',
  /* It ended before it had answered. */
  'exited',
  /* What it says is no message of the protocol. */
  'no-acp',
  'too-slow',
  /* It answered with an error. */
  'refused',
] as const;
export type ProbeOutcome = (typeof probeOutcomes)[number];

export type ProbeStepName = 'initialize' | 'authenticate' | 'session' | 'prompt';

export interface ProbeStep {
  readonly name: ProbeStepName;
  readonly ms: number;
}

export interface ProbeResult {
  readonly outcome: ProbeOutcome;
  /* Those that worked, in their order. */
  readonly steps: readonly ProbeStep[];
  /* The one that did not. */
  readonly failedAt?: ProbeStepName | undefined;
  /* For people. */
  readonly message?: string | undefined;
  readonly capabilities?: AgentCapabilities | undefined;
  /* As the agent tells them, whole. */
  readonly signInWays: readonly JsonObject[];
  /* The last lines that were no messages: of stderr, and of stdout. */
  readonly stderr: readonly string[];
  readonly noise: readonly string[];
  /* To the prompt, if there was one. */
  readonly answer?: string | undefined;
}
