/*
 * What a socket is once it is known who it belongs to: a session's or a run's.
 */
import type { Caller } from '../http/caller.ts';
import type { SocketContext } from './socket-context.ts';
import type { Outbox } from './outbox.ts';

export interface Face {
  /* Something came: parsed JSON, of whatever shape. Throws for what is refused. */
  handle(message: unknown): Promise<void>;
  /* Instead, where the protocol has its own words for what is no JSON: as it came. */
  handleBytes?(bytes: Buffer): Promise<void>;
  drained(): void;
  close(): void;
}

export interface FaceOptions {
  readonly context: SocketContext;
  /* The session's or the run's. */
  readonly id: string;
  readonly caller: Caller;
  readonly address: string;
  readonly outbox: Outbox;
  readonly onInput: (bytes: number) => void;
  /* Of a session: the number of the last event that the client has. Absent: it wants none of those before. */
  readonly resumeFrom: number | undefined;
  /* What was followed can be followed no longer; the client has to come again. */
  readonly onBroken: () => void;
}

/* Beside what a socket says first: which gateway it is connected to. */
export function gatewayOf({ identity }: Pick<SocketContext, 'identity'>) {
  const known = identity();
  if (known === undefined) return {};
  const { instanceId: instance_id, generation, version } = known;
  return { gateway: { instance_id, generation, version } };
}
