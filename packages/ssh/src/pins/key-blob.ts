/*
 * The inside of a public key's blob (RFC 4253, 5656, 8709, and PROTOCOL.u2f of OpenSSH): fields with their length in front.
 *
 * A blob is read to its last byte. What has a byte too many, another type inside than outside, or a field of another length is
 * no key, however much of it looks like one: a pin is compared byte by byte, so it has to have one form.
 */

export const hostKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
] as const;

export type HostKeyType = (typeof hostKeyTypes)[number];

/* Beside these there is nothing wrong that a person could mend, so one word is enough for the rest. */
export type BlobVerdict = 'sound' | 'unsound' | 'rsa-too-short';

const ed25519Bytes = 32;
const rsaBitsMin = 2048;
/* OpenSSH's own limit. */
const rsaBitsMax = 16_384;
/* An uncompressed point: a 4, then two coordinates. */
const pointBytes = { nistp256: 65, nistp384: 97, nistp521: 133 } as const;
const applicationBytesMax = 255;

type Field = Buffer;

export function judgeBlob(type: HostKeyType, blob: Buffer): BlobVerdict {
  const [inner, ...fields] = fieldsOf(blob) ?? [];
  if (inner?.toString('latin1') !== type) return 'unsound';
  switch (type) {
    case 'ssh-ed25519':
      return verdict(fields.length === 1 && isEd25519(fields[0]));
    case 'sk-ssh-ed25519@openssh.com':
      return verdict(fields.length === 2 && isEd25519(fields[0]) && isApplication(fields[1]));
    case 'ecdsa-sha2-nistp256':
      return verdict(fields.length === 2 && isPoint('nistp256', fields));
    case 'ecdsa-sha2-nistp384':
      return verdict(fields.length === 2 && isPoint('nistp384', fields));
    case 'ecdsa-sha2-nistp521':
      return verdict(fields.length === 2 && isPoint('nistp521', fields));
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return verdict(
        fields.length === 3 && isPoint('nistp256', fields) && isApplication(fields[2]),
      );
    case 'ssh-rsa':
      return fields.length === 2 ? judgeRsa(fields) : 'unsound';
  }
}

/* Undefined unless the fields end where the blob does. */
function fieldsOf(blob: Buffer): readonly Field[] | undefined {
  const fields: Field[] = [];
  let at = 0;
  while (at < blob.length) {
    if (blob.length - at < 4) return undefined;
    const end = at + 4 + blob.readUInt32BE(at);
    if (end > blob.length) return undefined;
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function isEd25519(field: Field | undefined): boolean {
  return field?.length === ed25519Bytes;
}

/* `ssh:` as a rule; a field in which a person could hide anything has to be short and printable. */
function isApplication(field: Field | undefined): boolean {
  if (field === undefined || field.length === 0 || field.length > applicationBytesMax) return false;
  return field.every((byte) => byte > 0x20 && byte < 0x7f);
}

function isPoint(curve: keyof typeof pointBytes, [name, point]: readonly Field[]): boolean {
  return (
    name?.toString('latin1') === curve && point?.length === pointBytes[curve] && point[0] === 4
  );
}

function judgeRsa([exponent, modulus]: readonly Field[]): BlobVerdict {
  if (!isPositive(exponent) || !isPositive(modulus)) return 'unsound';
  const bits = bitsOf(modulus);
  if (bits > rsaBitsMax) return 'unsound';
  return bits < rsaBitsMin ? 'rsa-too-short' : 'sound';
}

/* A number above zero with no needless zero in front (RFC 4251). */
function isPositive(field: Field | undefined): field is Field {
  const [first, second = 0] = field ?? [];
  if (first === undefined || first >= 0x80) return false;
  return first !== 0 || second >= 0x80;
}

function bitsOf(number: Field): number {
  const significant = number[0] === 0 ? number.subarray(1) : number;
  return significant.length * 8 - Math.clz32(significant[0] ?? 0) + 24;
}

function verdict(isSound: boolean): BlobVerdict {
  return isSound ? 'sound' : 'unsound';
}
