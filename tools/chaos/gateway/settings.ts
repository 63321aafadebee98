/*
 * What a gateway is told on its command line, and the lines of JSON it says on its standard output.
 */
export interface GatewaySettings {
  readonly stateDir: string;
  readonly ledgerFile: string;
  readonly seed: number;
  /* The beginning of the ids of its runs. */
  readonly name: string;
  readonly newRuns: number;
  readonly isLast: boolean;
}

export type GatewayMessage =
  | { readonly type: 'ready'; readonly generation: number }
  | { readonly type: 'finished' }
  | { readonly type: 'failed'; readonly runId: string; readonly error: string };
