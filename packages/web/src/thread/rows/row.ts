/*
 * What a conversation is drawn as: rows, each small enough to be drawn at once.
 */
import type {
  ContentBlock,
  EventBlock,
  PlanBlock,
  TextBlock,
  ToolBlock,
  UserBlock,
} from '@clawdfather/protocol/history';
import type { Piece } from '../../text/split-markdown.ts';

/* Where a row stands among its like, which are drawn as one card. */
export type Edge = 'only' | 'first' | 'middle' | 'last';

interface Placed {
  readonly key: string;
  readonly guessPx: number;
  readonly isJoined?: boolean;
  readonly turnId: string | null;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export type Row = Placed &
  (
    | { readonly kind: 'said'; readonly block: UserBlock }
    | {
        readonly kind: 'piece';
        readonly piece: Piece;
        readonly block: TextBlock;
        readonly isFirst: boolean;
        readonly isLast: boolean;
      }
    | { readonly kind: 'thought'; readonly block: TextBlock }
    | { readonly kind: 'tool'; readonly block: ToolBlock; readonly edge: Edge }
    | { readonly kind: 'plan'; readonly block: PlanBlock }
    | { readonly kind: 'content'; readonly block: ContentBlock }
    /* A line of ours. */
    | { readonly kind: 'note'; readonly text: string; readonly mood: 'plain' | 'bad' }
    | { readonly kind: 'decision'; readonly block: EventBlock }
    | { readonly kind: 'artifacts'; readonly block: EventBlock }
    | { readonly kind: 'raw'; readonly block: EventBlock }
    | { readonly kind: 'end'; readonly end: TurnEnd }
    | { readonly kind: 'gap'; readonly from: number; readonly to: number }
  );

export interface TurnEnd {
  readonly turnId: string;
  readonly status: string;
  readonly code: string;
  readonly cause: string | undefined;
  readonly message: string | undefined;
  readonly at: string;
  /* When its prompt was sent, where that is known. */
  readonly since: string | undefined;
  readonly tokens: number | undefined;
  /* It has told of changes of files. Undefined: not in what is loaded of it. */
  readonly hasChanges: boolean | undefined;
  /* Its agent could not be started at all. */
  readonly isUnstarted: boolean;
}
