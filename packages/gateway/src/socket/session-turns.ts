/*
 * What a session does with a message and with a cancel: the port that agents will implement.
 *
 * There are no agents yet. Until there are, both are refused, in words that a client can show.
 */
import type { ApiErrorCode } from '@clawdfather/protocol/api';
import type { AccountId } from '@clawdfather/store';

export interface SessionOf {
  readonly accountId: AccountId;
  readonly sessionId: string;
}

/* What comes of it arrives as events. */
export type TurnOutcome =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly code: ApiErrorCode; readonly message: string };

export interface SessionTurns {
  message(
    session: SessionOf,
    message: { readonly text: string; readonly clientMessageId: string },
  ): Promise<TurnOutcome>;
  cancel(session: SessionOf): Promise<TurnOutcome>;
}

const refused: TurnOutcome = {
  outcome: 'refused',
  code: 'unsupported',
  message: 'this gateway has no agents yet; commands can be run and followed',
};

export const noTurns: SessionTurns = {
  message: async () => refused,
  cancel: async () => refused,
};
