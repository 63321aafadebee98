/*
 * Paths and close codes of sockets, without the schemas of what goes over them.
 */

/* The one path per kind of socket; `:id` is the session's or the run's. JSON-RPC has its own messages (docs/protocol/json-rpc.md). */
export const socketPaths = {
  session: '/ws/sessions/:id',
  run: '/ws/runs/:id',
  acp: '/acp',
} as const;

/* 4001 to 4008 are ours (docs/protocol/websocket.md); the others are those of RFC 6455. */
export const socketCloseCodes = {
  /* The run has ended, and all its output was sent. */
  normal: 1000,
  /* The gateway stops. Try again. */
  goingAway: 1001,
  /* A message that is not allowed, such as anything before `auth`. */
  policy: 1008,
  tooBig: 1009,
  /* A mistake of ours, or the run cannot be read here. Try again. */
  internal: 1011,
  /* Too many sockets. Try again later. */
  tryLater: 1013,
  /* The token is not valid or no longer valid, or the session is closed. */
  ended: 4001,
  originRefused: 4003,
  notFound: 4004,
  /* This client does not read what it is sent. Come again with the last cursor. */
  tooSlow: 4008,
} as const;
