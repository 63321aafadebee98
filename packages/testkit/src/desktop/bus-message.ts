/*
 * Messages of D-Bus, as far as a desktop needs them: those that programs send are read, and answers and signals are written. Both ends are on
 * one machine, so the order of the bytes is always the smaller first.
 */
export interface BusCall {
  readonly serial: number;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  /* What it asks for; read with `openBody`. */
  readonly body: Buffer;
}

export type BusValue =
  | { readonly type: 's'; readonly value: string }
  | { readonly type: 'u'; readonly value: number }
  | { readonly type: 'b'; readonly value: boolean }
  | { readonly type: 'as'; readonly value: readonly string[] };

export interface BusHeader {
  readonly kind: 'answer' | 'error' | 'signal';
  readonly sender: string;
  readonly destination: string;
  /* Of what it answers. */
  readonly replySerial?: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
}

const kinds = { answer: 2, error: 3, signal: 4 } as const;
const callKind = 1;
const fixedBytes = 16;
/* Of the fields of a header, by the number that D-Bus gives them. */
const fieldNames = ['', 'path', 'interface', 'member', 'errorName', 'replySerial', 'destination'];
const senderField = 7;
const signatureField = 8;

/* The first message of the bytes, and how many it took; undefined: it is not whole yet. */
export function readMessage(
  bytes: Buffer,
): { readonly call: BusCall | undefined; readonly taken: number } | undefined {
  if (bytes.length < fixedBytes) return undefined;
  const fieldsBytes = bytes.readUInt32LE(12);
  const bodyAt = padded(fixedBytes + fieldsBytes, 8);
  const taken = bodyAt + bytes.readUInt32LE(4);
  if (bytes.length < taken) return undefined;
  if (bytes[1] !== callKind) return { call: undefined, taken };
  const fields = readFields(bytes.subarray(0, fixedBytes + fieldsBytes));
  const text = (name: string): string => String(fields.get(name) ?? '');
  const call = {
    serial: bytes.readUInt32LE(8),
    path: text('path'),
    interface: text('interface'),
    member: text('member'),
    body: bytes.subarray(bodyAt, taken),
  };
  return { call, taken };
}

function readFields(header: Buffer): ReadonlyMap<string, string | number> {
  const fields = new Map<string, string | number>();
  const reader = openBody(header, fixedBytes);
  while (reader.at() < header.length) {
    reader.align(8);
    const name = fieldNames[reader.byte()] ?? 'other';
    const type = reader.signature();
    if (type === 'u') fields.set(name, reader.number());
    else fields.set(name, type === 'g' ? reader.signature() : reader.text());
  }
  return fields;
}

export interface BodyReader {
  at(): number;
  align(to: number): void;
  byte(): number;
  number(): number;
  text(): string;
  texts(): readonly string[];
  signature(): string;
}

export function openBody(bytes: Buffer, from = 0): BodyReader {
  let at = from;
  const align = (to: number): void => {
    at = padded(at, to);
  };
  const byte = (): number => bytes.readUInt8(at++);
  const number = (): number => {
    align(4);
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const letters = (length: number): string => {
    at += length + 1;
    return bytes.toString('utf8', at - length - 1, at - 1);
  };
  const text = (): string => letters(number());
  return {
    at: () => at,
    align,
    byte,
    number,
    text,
    texts: () => {
      const length = number();
      const end = at + length;
      const found: string[] = [];
      while (at < end) found.push(text());
      return found;
    },
    signature: () => letters(byte()),
  };
}

export function formatMessage(
  serial: number,
  header: BusHeader,
  values: readonly BusValue[] = [],
): Buffer {
  const body = openWriter();
  for (const one of values) write(body, one);
  const fields = openWriter();
  for (const [index, name] of fieldNames.entries()) {
    const value = header[name as keyof BusHeader];
    if (value !== undefined) writeField(fields, index, value);
  }
  writeField(fields, senderField, header.sender);
  if (values.length > 0) {
    fields.align(8);
    fields.bytes(Buffer.of(signatureField, 1, 'g'.charCodeAt(0), 0));
    fields.signature(values.map(({ type }) => type).join(''));
  }
  const start = Buffer.alloc(fixedBytes);
  start.write('l');
  start.writeUInt8(kinds[header.kind], 1);
  start.writeUInt8(1, 3);
  start.writeUInt32LE(body.done().length, 4);
  start.writeUInt32LE(serial, 8);
  start.writeUInt32LE(fields.done().length, 12);
  const whole = openWriter();
  whole.bytes(start);
  whole.bytes(fields.done());
  whole.align(8);
  whole.bytes(body.done());
  return whole.done();
}

function writeField(writer: Writer, index: number, value: string | number): void {
  const type = typeof value === 'number' ? 'u' : index === 1 ? 'o' : 's';
  writer.align(8);
  writer.bytes(Buffer.of(index, 1, type.charCodeAt(0), 0));
  if (typeof value === 'number') writer.number(value);
  else writer.text(value);
}

function write(writer: Writer, { type, value }: BusValue): void {
  if (type === 's') writer.text(value);
  else if (type === 'as') writer.texts(value);
  else writer.number(Number(value));
}

type Writer = ReturnType<typeof openWriter>;

function openWriter() {
  let whole = Buffer.alloc(0);
  const bytes = (more: Buffer): void => {
    whole = Buffer.concat([whole, more]);
  };
  const align = (to: number): void => bytes(Buffer.alloc(padded(whole.length, to) - whole.length));
  const number = (value: number): void => {
    align(4);
    const four = Buffer.alloc(4);
    four.writeUInt32LE(value);
    bytes(four);
  };
  const text = (value: string): void => {
    const letters = Buffer.from(`${value}\0`);
    number(letters.length - 1);
    bytes(letters);
  };
  return {
    bytes,
    align,
    number,
    text,
    texts: (values: readonly string[]) => {
      const list = openWriter();
      for (const one of values) list.text(one);
      number(list.done().length);
      bytes(list.done());
    },
    signature: (value: string) =>
      bytes(Buffer.from(`${String.fromCharCode(value.length)}${value}\0`)),
    done: () => whole,
  };
}

function padded(at: number, to: number): number {
  return Math.ceil(at / to) * to;
}
