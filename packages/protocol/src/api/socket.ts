/*
 * Everything that goes over a WebSocket as JSON: what clients send, what the gateway sends (docs/protocol/websocket.md).
 *
 * What comes in is strict; what goes out may get more fields, so a client ignores those that it does not know. Output may also
 * go out in binary messages, whose layout is in docs/protocol/websocket.md.
 */
import { z } from 'zod';
import { columnsSchema, rowsSchema } from '../exec.ts';
import { approvalDecisionSchema } from '../policy.ts';
import { runSummarySchema } from '../process.ts';
import {
  cursorSchema,
  encodingSchema,
  idSchema,
  lineSchema,
  messageIdSchema,
  timeSchema,
} from './common.ts';
import { runExitSchema } from './runs.ts';
import { sessionSchema } from './sessions.ts';
import { loadClassSchema, threadEventSchema, turnSchema } from './threads.ts';

/* What a client may send in one message; the gateway closes with 1009 on more. */
export const socketMessageBytesMax = 64 * 1024;

/* Three bytes each at most, with room for the rest of the message. What is longer goes by `POST /api/v1/threads/:id/turns`. */
const messageCharactersMax = 20 * 1024;

/* In base64, with room for the rest of the message. */
const inputCharactersMax = 60 * 1024;

/* The ids of runs are the supervisor's, not ours. */
const runIdSchema = z
  .string()
  .regex(/^[0-9a-z][0-9a-z-]{0,30}$/, 'is not a run id')
  .meta({ id: 'RunId' });

/* Any message may say which trace it belongs to. */
const traced = { traceparent: z.string().max(256).optional() } as const;

const authSchema = z.strictObject({
  type: z.literal('auth'),
  /* Absent: the web app's cookie came with the upgrade. */
  token: z.string().max(256).optional(),
  /* Of a session's socket: the number of the last event that the client has, 0 for none. Absent: only what comes from now on. */
  resume_from: z.int().min(0).optional(),
  ...traced,
});

const heartbeatSchema = z.strictObject({ type: z.literal('heartbeat'), ...traced });

const attachSchema = z.strictObject({
  type: z.literal('terminal.attach'),
  run_id: runIdSchema.optional(),
  /* Goes on there; absent from the beginning. */
  cursor: cursorSchema.optional(),
  /* A viewer looks on. A terminal takes its place in the row, and the first of the row answers the program's questions. */
  as: z.enum(['viewer', 'terminal']).default('viewer'),
  /* Output comes in binary messages. */
  binary: z.boolean().default(false),
  ...traced,
});

const inputSchema = z.strictObject({
  type: z.literal('terminal.input'),
  run_id: runIdSchema.optional(),
  data: z.string().max(inputCharactersMax),
  encoding: encodingSchema.default('text'),
  /* End of input, after the data. */
  eof: z.boolean().default(false),
  /* Answered with `terminal.input_ack` when the run has it. */
  input_id: lineSchema(64).optional(),
  ...traced,
});

/* Of an attached terminal: its size, which the run's terminal has while it is attached. A viewer has none to say. */
const resizeSchema = z.strictObject({
  type: z.literal('terminal.resize'),
  run_id: runIdSchema.optional(),
  cols: columnsSchema,
  rows: rowsSchema,
  ...traced,
});

/* The run's terminal has this size until `terminal.unfit` or the end of the socket, however it ends; then its former one again. */
const fitSchema = z.strictObject({
  type: z.literal('terminal.fit'),
  run_id: runIdSchema.optional(),
  cols: columnsSchema,
  rows: rowsSchema,
  ...traced,
});

const unfitSchema = z.strictObject({
  type: z.literal('terminal.unfit'),
  run_id: runIdSchema.optional(),
  ...traced,
});

const detachSchema = z.strictObject({
  type: z.literal('terminal.detach'),
  run_id: runIdSchema.optional(),
  ...traced,
});

/* Of a held run, or of what an agent asks for. The latter is answered by one of its options; a decision names it where it leaves no choice. */
const approveSchema = z.strictObject({
  type: z.literal('approve'),
  approval_id: idSchema,
  decision: approvalDecisionSchema,
  option_id: z.string().min(1).max(256).optional(),
  reason: lineSchema(500).optional(),
  ...traced,
});

/* What is said to the session's agent: a turn of its thread. */
const messageSchema = z.strictObject({
  type: z.literal('message'),
  text: z.string().min(1).max(messageCharactersMax),
  /* The same one twice is one turn, whichever way it came. */
  client_message_id: messageIdSchema,
  load_class: loadClassSchema.default('long_task'),
  ...traced,
});

/* Ends a turn, and not the session. Without an id the turn that runs, else the one that waits longest. */
const cancelSchema = z.strictObject({
  type: z.literal('cancel'),
  turn_id: idSchema.optional(),
  ...traced,
});

/* The first message of every socket. */
export const socketAuthSchema = authSchema;

/* On both kinds of sockets. On `/ws/runs/:id`, `run_id` may be left out: there is one. */
export const runClientMessageSchema = z.discriminatedUnion('type', [
  heartbeatSchema,
  attachSchema,
  inputSchema,
  resizeSchema,
  fitSchema,
  unfitSchema,
  detachSchema,
  approveSchema,
]);

/* On `/ws/sessions/:id` only. */
export const sessionClientMessageSchema = z.discriminatedUnion('type', [
  messageSchema,
  cancelSchema,
  ...runClientMessageSchema.options,
]);

const sharedServerSchemas = [
  z.object({ type: z.literal('heartbeat_ack'), server_time: timeSchema }),
  /* Nothing that is refused closes the socket by itself. */
  z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    run_id: z.string().optional(),
    /* The `type` of the message that was refused. */
    about: z.string().optional(),
    /* That of the input or the message that was refused, if it had one. */
    input_id: z.string().optional(),
    client_message_id: z.string().optional(),
  }),
  /* Output follows, from this cursor on. */
  z.object({
    type: z.literal('terminal.attached'),
    run_id: z.string(),
    cursor: z.string(),
    as: z.enum(['viewer', 'terminal']),
  }),
  z.object({
    type: z.literal('terminal.data'),
    run_id: z.string(),
    /* After these bytes. */
    cursor: z.string(),
    stream: z.enum(['stdout', 'stderr']),
    bytes: z.base64(),
  }),
  /* From here on in the output this terminal answers the program's questions. What came before is history. */
  z.object({ type: z.literal('terminal.answers'), run_id: z.string(), cursor: z.string() }),
  z.object({
    type: z.literal('terminal.resized'),
    run_id: z.string(),
    cols: z.int(),
    rows: z.int(),
    cursor: z.string(),
  }),
  /* What this socket has asked for is so; null: it holds no size any more. Another may take it later: see `terminal.resized`. */
  z.object({
    type: z.literal('terminal.fitted'),
    run_id: z.string(),
    size: z.object({ cols: z.int(), rows: z.int() }).nullable(),
  }),
  z.object({
    type: z.literal('terminal.input_ack'),
    run_id: z.string(),
    input_id: z.string(),
  }),
  /* Output of a run between these cursors, or events of a session between these numbers, that are no longer kept. */
  z.object({
    type: z.literal('gap'),
    run_id: z.string().optional(),
    from: z.union([z.string(), z.int()]),
    to: z.union([z.string(), z.int()]),
    missed_bytes: z.int().optional(),
  }),
  /* The journal was cut, deleted or altered between these cursors. Output goes on at `to`. */
  z.object({
    type: z.literal('damaged'),
    run_id: z.string(),
    from: z.string(),
    to: z.string(),
    missed_bytes: z.int(),
  }),
  /* The journal has no end record. 0 missed bytes: the number is not known. */
  z.object({
    type: z.literal('tail_lost'),
    run_id: z.string(),
    cursor: z.string(),
    missed_bytes: z.int(),
  }),
  z.object({ type: z.literal('run_ended'), run_id: z.string(), exit: runExitSchema }),
  z.object({ type: z.literal('approved'), approval_id: z.string(), state: z.string() }),
] as const;

/* Which gateway the socket is connected to. The generation grows with each of its starts. */
const gatewaySchema = z
  .object({ instance_id: z.string(), generation: z.int(), version: z.string() })
  .optional();

const runMessageSchema = z.object({
  type: z.literal('run'),
  run: runSummarySchema,
  gateway: gatewaySchema,
});

const sessionMessageSchema = z.object({
  type: z.literal('session'),
  session: sessionSchema,
  /* Its conversation, where it has an agent: what is said in it comes as events. */
  thread: z.object({ id: z.string(), last_seq: z.int() }).nullable().optional(),
  gateway: gatewaySchema,
});

/* One of the thread, as the API shows it. */
const eventMessageSchema = z.object({
  type: z.literal('event'),
  seq: z.int(),
  /* Where the turn stands, on the events that change it. */
  status: z.enum(['queued', 'thinking', 'done']).optional(),
  event: threadEventSchema,
});

/* The message is a turn now, or was one before. */
const messageAckSchema = z.object({
  type: z.literal('message_ack'),
  client_message_id: z.string(),
  turn: turnSchema,
});

const cancelAckSchema = z.object({
  type: z.literal('cancel_ack'),
  turn_id: z.string(),
  /* False: it had ended, or was cancelled before. */
  accepted: z.boolean(),
});

const sessionClosedSchema = z.object({
  type: z.literal('session_closed'),
  reason: z.string(),
  message: z.string(),
});

export const runServerMessageSchema = z.discriminatedUnion('type', [
  ...sharedServerSchemas,
  runMessageSchema,
]);

export const sessionServerMessageSchema = z.discriminatedUnion('type', [
  ...sharedServerSchemas,
  sessionMessageSchema,
  eventMessageSchema,
  messageAckSchema,
  cancelAckSchema,
  sessionClosedSchema,
]);

export const serverMessageSchema = z.discriminatedUnion('type', [
  ...sharedServerSchemas,
  runMessageSchema,
  sessionMessageSchema,
  eventMessageSchema,
  messageAckSchema,
  cancelAckSchema,
  sessionClosedSchema,
]);

export type SocketAuth = z.input<typeof socketAuthSchema>;
export type SocketClientMessage = z.input<typeof runClientMessageSchema>;
export type SessionClientMessage = z.input<typeof sessionClientMessageSchema>;
export type RunServerMessage = z.infer<typeof runServerMessageSchema>;
export type SessionServerMessage = z.infer<typeof sessionServerMessageSchema>;
export type ServerMessage = z.infer<typeof serverMessageSchema>;
