/*
 * How large a picture is, from its first bytes, so that its place is there before the browser has read it. Pure.
 *
 * Only the head of each format is looked at (PNG 11.2.2, GIF89a 18, RFC 9649, ITU-T T.81 B.2.2). What is not as it should be has no size.
 */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/* In base64, so a multiple of four. A JPEG's size comes after what its camera has to say, which may be 64 kB a piece. */
const headCharactersMax = 240_000;
const shortHeadCharacters = 64;

export function pictureSizeOf(base64: string, mimeType: string): PictureSize | undefined {
  const isShort = mimeType !== 'image/jpeg';
  const head = base64.slice(0, isShort ? shortHeadCharacters : headCharactersMax);
  const size = readSize(bytesOf(head), mimeType);
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

function readSize(bytes: DataView, mimeType: string): PictureSize | undefined {
  try {
    switch (mimeType) {
      case 'image/png':
        return { width: bytes.getUint32(16), height: bytes.getUint32(20) };
      case 'image/gif':
        return { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) };
      case 'image/webp':
        return sizeOfWebp(bytes);
      case 'image/jpeg':
        return sizeOfJpeg(bytes);
      default:
        return undefined;
    }
  } catch (error) {
    // It ends before its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/* Of three kinds (lossy, lossless, extended), told apart by the last letter of the name of the first chunk: a blank, L or X. */
function sizeOfWebp(bytes: DataView): PictureSize | undefined {
  switch (String.fromCharCode(bytes.getUint8(15))) {
    case ' ':
      // Two bits above each number say how it is to be scaled.
      return {
        width: bytes.getUint16(26, true) & 0x3fff,
        height: bytes.getUint16(28, true) & 0x3fff,
      };
    case 'L': {
      const packed = bytes.getUint32(21, true);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'X':
      return { width: uint24(bytes, 24) + 1, height: uint24(bytes, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24(bytes: DataView, at: number): number {
  return bytes.getUint16(at, true) | (bytes.getUint8(at + 2) << 16);
}

/* From segment to segment until one that begins a frame. */
function sizeOfJpeg(bytes: DataView): PictureSize | undefined {
  for (let at = 2; bytes.getUint8(at) === 0xff; at += 2 + bytes.getUint16(at + 2)) {
    const marker = bytes.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.getUint16(at + 7), height: bytes.getUint16(at + 5) };
  }
  return undefined;
}

function bytesOf(base64: string): DataView {
  let text = '';
  try {
    text = atob(base64);
  } catch {
    // It is no base64: the browser shows no picture either.
  }
  return new DataView(Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
}
