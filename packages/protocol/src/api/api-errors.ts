/*
 * The one catalogue of what the API can refuse, with its status and what it means. Programs rely on the code; the message of
 * an answer is for people and may say more.
 */
export const apiErrors = {
  validation_error: { status: 400, meaning: 'the request is not of the documented shape' },
  invalid_state: { status: 400, meaning: 'the sign-in was not begun here, or too long ago' },
  invalid_code: { status: 400, meaning: 'GitHub does not know this code' },
  invalid_link: {
    status: 401,
    meaning: 'the login link or code was used, has expired or never was',
  },
  unauthorized: { status: 401, meaning: 'no token, or one that is no longer good' },
  forbidden: { status: 403, meaning: 'the token has not the scope for this' },
  origin_refused: { status: 403, meaning: 'a page of another origin may not ask this' },
  host_not_allowed: { status: 403, meaning: 'the policy does not let this gateway connect there' },
  push_endpoint_refused: {
    status: 403,
    meaning: 'the address is not one of a push service that this gateway sends to',
  },
  not_found: { status: 404, meaning: 'there is nothing here, or nothing of yours' },
  request_timeout: { status: 408, meaning: 'the request did not arrive in time' },
  label_exists: { status: 409, meaning: 'something in use has this label' },
  key_limit_reached: { status: 409, meaning: 'no more keys until one is deleted' },
  active_session_exists: { status: 409, meaning: 'a session that is open uses it' },
  active_sessions_exist: { status: 409, meaning: 'sessions that are open use it' },
  session_limit_reached: { status: 409, meaning: 'no more sessions until one is closed' },
  upload_limit_reached: {
    status: 409,
    meaning: 'no more files until one is sent, removed or a day old',
  },
  run_limit_reached: { status: 409, meaning: 'no more runs until one has ended' },
  journal_limit_reached: { status: 409, meaning: 'living runs keep as much output as may be kept' },
  name_taken: { status: 409, meaning: 'a living run of yours has this name' },
  connection_not_tested: {
    status: 409,
    meaning: 'the last test of the connection did not succeed, or there was none',
  },
  keypair_revoked: { status: 409, meaning: 'the key of this connection is no longer in use' },
  host_key_changed: { status: 409, meaning: 'the host shows another key than the pinned one' },
  already_decided: { status: 409, meaning: 'somebody has decided this before' },
  changed: { status: 409, meaning: 'it is not what was shown to whoever decides' },
  option_not_offered: { status: 409, meaning: 'the agent did not offer this answer' },
  thread_archived: { status: 409, meaning: 'the conversation was put away' },
  not_waiting: { status: 409, meaning: 'the turn runs already, or has ended' },
  queue_crowded: { status: 409, meaning: 'no room is left between these two turns' },
  not_running: { status: 409, meaning: 'the run has ended, or has not started yet' },
  still_running: { status: 409, meaning: 'the run has not ended, or has left processes' },
  input_blocked: { status: 409, meaning: 'the program does not read its input' },
  gap: { status: 409, meaning: 'the offset is not where the input stands' },
  epoch_stale: { status: 409, meaning: 'somebody else owns it now' },
  push_key_changed: { status: 409, meaning: 'subscribe anew, with the current key' },
  key_reused: { status: 409, meaning: 'the idempotency key belongs to another request' },
  expired: { status: 410, meaning: 'it was too late for this' },
  payload_too_large: { status: 413, meaning: 'the body is bigger than is taken' },
  unsupported_media_type: { status: 415, meaning: 'bodies are JSON' },
  range_not_satisfiable: { status: 416, meaning: 'the file has no such part' },
  host_refused: { status: 421, meaning: 'this gateway does not go by that name' },
  unsupported: { status: 422, meaning: 'this version cannot do that yet' },
  rate_limited: { status: 429, meaning: 'too many; `Retry-After` says when to try again' },
  queue_full: { status: 429, meaning: 'no more turns may wait; try again when one has ended' },
  headers_too_large: { status: 431, meaning: 'the headers are bigger than is taken' },
  internal_error: { status: 500, meaning: 'a mistake of ours; the log has it under the trace id' },
  github_unavailable: { status: 502, meaning: 'GitHub did not answer as it should' },
  ssh_connect_failed: { status: 502, meaning: 'no connection to the host' },
  agent_spawn_failed: { status: 502, meaning: 'the agent did not start' },
  unavailable: { status: 503, meaning: 'the database is not there, or we are stopping; try again' },
  timeout: { status: 504, meaning: 'not done within 30 s' },
  storage_full: { status: 507, meaning: 'no room left on the disk' },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly meaning: string }>
>;

export type ApiErrorCode = keyof typeof apiErrors;

export function isApiErrorCode(text: string): text is ApiErrorCode {
  return Object.hasOwn(apiErrors, text);
}
