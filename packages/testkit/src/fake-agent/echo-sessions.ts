/*
 * The sessions of the echoing agent: who said what, the mode and the model. With a directory each is a file of JSON lines that
 * another process can read, so that load and resume work; without one they end with the process.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Said {
  readonly who: 'user' | 'agent';
  readonly text: string;
}

export interface EchoSession {
  readonly id: string;
  readonly history: readonly Said[];
  readonly mode: string;
  readonly model: string;
  add(...said: readonly Said[]): void;
  setMode(mode: string): void;
  setModel(model: string): void;
}

export interface EchoSessions {
  readonly areKept: boolean;
  create(): EchoSession;
  /** One that is open in this process, or was kept. */
  find(id: string): EchoSession | undefined;
}

export const echoModes = ['ask', 'code'] as const;
export const echoModels = ['small', 'large'] as const;

type Entry = Said | { readonly mode: string } | { readonly model: string };

export function openEchoSessions(directory: string | undefined): EchoSessions {
  const open = new Map<string, EchoSession>();
  if (directory !== undefined) mkdirSync(directory, { recursive: true, mode: 0o700 });
  const fileOf = (id: string): string | undefined =>
    directory === undefined ? undefined : join(directory, `${id}.jsonl`);
  const enter = (id: string, entries: readonly Entry[]): EchoSession => {
    const session = createSession({ id, file: fileOf(id), entries });
    open.set(id, session);
    return session;
  };
  return {
    areKept: directory !== undefined,
    create: () => {
      for (let number = 1; ; number += 1) {
        const id = `session-${number}`;
        if (!open.has(id) && claim(fileOf(id))) return enter(id, []);
      }
    },
    find: (id) => {
      if (open.has(id)) return open.get(id);
      /* The id comes from the client and becomes part of a path. */
      const file = /^session-\d{1,9}$/.test(id) ? fileOf(id) : undefined;
      if (file === undefined || !existsSync(file)) return undefined;
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return enter(
        id,
        lines.map((line) => JSON.parse(line) as Entry),
      );
    },
  };
}

/* Two agents may share the directory: the one that makes the file has the name. */
function claim(file: string | undefined): boolean {
  if (file === undefined) return true;
  try {
    writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function createSession(from: {
  readonly id: string;
  readonly file: string | undefined;
  readonly entries: readonly Entry[];
}): EchoSession {
  const history: Said[] = [];
  let mode: string = echoModes[0];
  let model: string = echoModels[0];
  const apply = (entry: Entry): void => {
    if ('mode' in entry) mode = entry.mode;
    else if ('model' in entry) model = entry.model;
    else history.push(entry);
  };
  const add = (entry: Entry): void => {
    apply(entry);
    if (from.file !== undefined) appendFileSync(from.file, `${JSON.stringify(entry)}\n`);
  };
  for (const entry of from.entries) apply(entry);
  return {
    id: from.id,
    history,
    get mode() {
      return mode;
    },
    get model() {
      return model;
    },
    add: (...said) => said.forEach(add),
    setMode: (next) => add({ mode: next }),
    setModel: (next) => add({ model: next }),
  };
}
