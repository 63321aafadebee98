/*
 * What is at hand while one step of a batch is consumed.
 */
import type { TurnRow } from '../rows.ts';
import type { WireStep } from '../wire/wire-reader.ts';
import type { Draft } from './draft.ts';
import type { AgentSetup } from './handshake.ts';
import type { Texts } from './take-update.ts';

export interface Consuming extends Pick<WireStep, 'cursor' | 'atMs'> {
  readonly draft: Draft;
  readonly setup: AgentSetup;
  readonly texts: Texts;
  /* See `consume`. */
  readonly isInTime?: ((turn: TurnRow) => boolean) | undefined;
}
