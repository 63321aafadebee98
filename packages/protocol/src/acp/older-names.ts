/*
 * The names that older clients use, and what they are called here. A client that uses one gets answers that it understands
 * (docs/protocol/json-rpc.md).
 */

/* Of methods. */
const olderPrefix = 'xworkmate.';

const olderParams: ReadonlyMap<string, string> = new Map([
  ['appThreadKey', 'threadId'],
  ['openclawSessionKey', 'threadId'],
  ['taskId', 'turnId'],
  ['clientRequestId', 'idempotencyKey'],
]);

/* Without a meaning here; only older clients send it. */
const ignoredParam = 'routing';

const olderCodes: ReadonlyMap<string, string> = new Map([
  ['TASK_SLA_EXPIRED', 'OPENCLAW_RUN_DEADLINE_EXCEEDED'],
]);

export interface Renamed<Value> {
  readonly value: Value;
  readonly isOlder: boolean;
}

export function renameMethod(name: string): Renamed<string> {
  const isOlder = name.startsWith(olderPrefix);
  return { value: isOlder ? name.slice(olderPrefix.length) : name, isOlder };
}

/* Where a parameter comes under both names, the one of today counts. */
export function renameParams(params: Readonly<Record<string, unknown>>): Renamed<object> {
  const renamed: Record<string, unknown> = {};
  let isOlder = Object.hasOwn(params, ignoredParam);
  for (const [name, value] of Object.entries(params)) {
    const today = olderParams.get(name);
    if (today === undefined) continue;
    isOlder = true;
    renamed[today] ??= value;
  }
  return { value: isOlder ? { ...renamed, ...params } : params, isOlder };
}

export function renameCode(code: string): string {
  return olderCodes.get(code) ?? code;
}
