/*
 * The desktop that a browser shows its notifications on: the bus of a session, and the one program on it that shows notifications.
 *
 * What is on it is what a person sees, and a tap on it is a person's tap: the browser gives its worker the right to open and focus windows,
 * which nothing that runs inside of the browser can. Without one Chromium shows notifications itself, and takes them away after 25 seconds.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BusCall,
  type BusHeader,
  type BusValue,
  formatMessage,
  openBody,
  readMessage,
} from './bus-message.ts';

export interface ShownNotification {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  /* Their names, by what a tap on each is called; a tap on the notification itself is `default`. */
  readonly actions: ReadonlyMap<string, string>;
}

export interface Desktop extends AsyncDisposable {
  /* For the browser's process. */
  readonly env: Readonly<Record<string, string>>;
  /* On the screen now, the oldest first. */
  readonly onScreen: readonly ShownNotification[];
  /* Everything that was ever shown, in order; one that took the place of another counts, too. */
  readonly everShown: readonly ShownNotification[];
  /* Resolves when so many were ever shown. */
  untilShown(count: number): Promise<void>;
  /* Resolves when nothing is on the screen. */
  untilEmpty(): Promise<void>;
  /* By the name of an action; without one, on the notification itself. */
  tap(notification: ShownNotification, action?: string): void;
}

const busName = 'org.freedesktop.DBus';
const shownBy = 'org.freedesktop.Notifications';
const shownAt = '/org/freedesktop/Notifications';
/* What the bus calls the program that shows notifications. */
const ownName = ':1.1';
/* Of the notification itself. */
const whole = 'default';
/* Why one is gone: its program took it back (3), or a person has dismissed it (2), which a tap does as well. */
const dismissed = 2;
const takenBack = 3;

export async function openDesktop(): Promise<Desktop> {
  const folder = mkdtempSync(join(tmpdir(), 'clf-desktop-'));
  const state = createState();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A browser that ends hangs up.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket, state, `:1.${sockets.size + 1}`);
  });
  const path = join(folder, 'bus');
  server.listen(path);
  await once(server, 'listening');
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
    get onScreen() {
      return [...state.onScreen.values()].map(({ shown }) => shown);
    },
    everShown: state.everShown,
    untilShown: (count) => state.until(() => state.everShown.length >= count),
    untilEmpty: () => state.until(() => state.onScreen.size === 0),
    tap: ({ id, actions }, name) => {
      const found = state.onScreen.get(id);
      if (found === undefined) throw new Error('it is not on the screen any more');
      const key = name === undefined ? whole : keyOf(actions, name);
      found.line.signal('ActionInvoked', [
        { type: 'u', value: id },
        { type: 's', value: key },
      ]);
      state.remove(id, dismissed);
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function keyOf(actions: ReadonlyMap<string, string>, name: string): string {
  const found = [...actions].find(([, label]) => label === name);
  if (found === undefined)
    throw new Error(`there is no "${name}" in ${[...actions.values()].join()}`);
  return found[0];
}

interface OnScreen {
  readonly shown: ShownNotification;
  readonly line: Line;
}

type State = ReturnType<typeof createState>;

function createState() {
  const onScreen = new Map<number, OnScreen>();
  const everShown: ShownNotification[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const look of waiting) look();
  };
  let last = 0;
  return {
    onScreen,
    everShown,
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    show: (line: Line, body: Buffer): number => {
      const reader = openBody(body);
      reader.text();
      const replaces = reader.number();
      reader.text();
      const [title, text] = [reader.text(), reader.text()];
      const words = reader.texts();
      const pairs = words.flatMap((key, at) =>
        at % 2 === 0 ? [[key, words[at + 1] ?? ''] as const] : [],
      );
      const id = replaces === 0 ? ++last : replaces;
      const shown = { id, title, body: text, actions: new Map(pairs) };
      onScreen.set(id, { shown, line });
      everShown.push(shown);
      wake();
      return id;
    },
    remove: (id: number, reason: number): void => {
      const found = onScreen.get(id);
      if (found === undefined) return;
      onScreen.delete(id);
      found.line.signal('NotificationClosed', [
        { type: 'u', value: id },
        { type: 'u', value: reason },
      ]);
      wake();
    },
  };
}

interface Line {
  answer(call: BusCall, values?: readonly BusValue[]): void;
  refuse(call: BusCall): void;
  signal(member: string, values: readonly BusValue[]): void;
}

/* First lines of text, by which both agree on who they are; then messages. */
function serve(socket: Socket, state: State, client: string): void {
  let bytes = Buffer.alloc(0);
  let hasBegun = false;
  const line = openLine(socket, client);
  const readLine = (): boolean => {
    const end = bytes.indexOf('\r\n');
    if (end < 0) return false;
    const text = bytes.toString('latin1', 0, end).replace('\0', '');
    bytes = bytes.subarray(end + 2);
    if (text.startsWith('AUTH EXTERNAL')) socket.write(`OK ${randomBytes(16).toString('hex')}\r\n`);
    else if (text.startsWith('AUTH')) socket.write('REJECTED EXTERNAL\r\n');
    else if (text === 'BEGIN') hasBegun = true;
    else socket.write('ERROR\r\n');
    return true;
  };
  const readCall = (): boolean => {
    const read = readMessage(bytes);
    if (read === undefined) return false;
    bytes = bytes.subarray(read.taken);
    if (read.call !== undefined) take(read.call, { line, state, client });
    return true;
  };
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (hasBegun ? readCall() : readLine());
  });
}

function openLine(socket: Socket, destination: string): Line {
  let serial = 0;
  const send = (header: Omit<BusHeader, 'destination'>, values?: readonly BusValue[]): void => {
    serial += 1;
    if (socket.writable) socket.write(formatMessage(serial, { ...header, destination }, values));
  };
  const senderOf = (call: BusCall): string => (call.interface === busName ? busName : ownName);
  return {
    answer: (call, values) =>
      send({ kind: 'answer', sender: senderOf(call), replySerial: call.serial }, values),
    refuse: (call) =>
      send({
        kind: 'error',
        sender: busName,
        replySerial: call.serial,
        errorName: 'org.freedesktop.DBus.Error.ServiceUnknown',
      }),
    signal: (member, values) =>
      send({ kind: 'signal', sender: ownName, path: shownAt, interface: shownBy, member }, values),
  };
}

interface Place {
  readonly line: Line;
  readonly state: State;
  readonly client: string;
}

function take(call: BusCall, { line, state, client }: Place): void {
  const text = (value: string): BusValue => ({ type: 's', value });
  const number = (value: number): BusValue => ({ type: 'u', value });
  const isOurs = (): boolean => openBody(call.body).text() === shownBy;
  switch (`${call.interface}.${call.member}`) {
    case `${busName}.Hello`:
      return line.answer(call, [text(client)]);
    case `${busName}.AddMatch`:
    case `${busName}.RemoveMatch`:
      return line.answer(call);
    case `${busName}.NameHasOwner`:
      return line.answer(call, [{ type: 'b', value: isOurs() }]);
    case `${busName}.GetNameOwner`:
      return isOurs() ? line.answer(call, [text(ownName)]) : line.refuse(call);
    case `${busName}.ListActivatableNames`:
      return line.answer(call, [{ type: 'as', value: [] }]);
    case `${busName}.RequestName`:
      return line.answer(call, [number(1)]);
    case `${shownBy}.GetCapabilities`:
      return line.answer(call, [{ type: 'as', value: ['actions', 'body', 'persistence'] }]);
    case `${shownBy}.GetServerInformation`:
      return line.answer(call, ['desktop', 'clawdfather', '1', '1.2'].map(text));
    case `${shownBy}.Notify`:
      return line.answer(call, [number(state.show(line, call.body))]);
    case `${shownBy}.CloseNotification`:
      line.answer(call);
      return state.remove(openBody(call.body).number(), takenBack);
    default:
      return line.refuse(call);
  }
}
