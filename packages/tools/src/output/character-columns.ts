/*
 * How many columns of a terminal a character takes, and whether it is drawn into the cell of the one before it. The screen
 * model and the tables of the command line both ask here, so that they agree.
 *
 * Every character has the width of `wcwidth`, by the tables of the Unicode version that Node and get-east-asian-width know:
 * 0 for marks and format characters, 2 for East Asian wide ones and emoji, else 1 (ambiguous ones, too). On top of that
 * four kinds of emoji that are written with several characters are one of two columns: joined by ZWJ, with a skin tone, a
 * flag of two letters, and a narrow one before U+FE0F. docs/decisions/0025-columns-of-characters.md says why.
 *
 * A place is a number, because it is asked for once per character of output: the kind in the upper bits, then two bits of
 * width, then one that says "joined". That is how @xterm/headless packs it, which keeps the last place between two writes.
 */
import { eastAsianWidth } from 'get-east-asian-width';

/* Before the first character. */
const noPlace = 0;

/* One column, nothing special: the place of a letter. */
export const narrowPlace = 0b10;

const kinds = {
  other: 0,
  emoji: 1,
  /* An emoji and a ZWJ: the next emoji belongs to it. */
  emojiJoiner: 2,
  /* The first letter of a flag. */
  regional: 3,
  /* Digits, # and *: narrow until U+FE0F makes a key of them. */
  keyBase: 4,
  skinTone: 5,
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const zwj = 0x200d;
const emojiSelector = 0xfe0f;

/* The width of what has been put into the cell so far. */
export function widthOfPlace(place: number): number {
  return (place >> 1) & 3;
}

export function isJoined(place: number): boolean {
  return (place & 1) !== 0;
}

/* Where a character goes after one at `before`. A joined one has the width of the whole. */
export function placeCharacter(codePoint: number, before: number = noPlace): number {
  // Letters and signs of ASCII, most of all output: never joined, and above the digits never special.
  if (codePoint > 0x39 && codePoint < 0x7f) return narrowPlace;
  const own = ownPlace(codePoint);
  // What has a width and follows nothing special stands for itself: nearly every character.
  const kindBefore = before >> 3;
  const width = widthOfPlace(own);
  if (width !== 0 && kindBefore === kinds.other) return own;
  const widthBefore = widthOfPlace(before);
  if (width === 0) return placeMark(codePoint, kindBefore, widthBefore);
  const kind = own >> 3;
  if (kindBefore === kinds.regional && kind === kinds.regional) return pack(kinds.other, 2, true);
  const belongs =
    (kindBefore === kinds.emojiJoiner && (kind === kinds.emoji || kind === kinds.skinTone)) ||
    (kindBefore === kinds.emoji && kind === kinds.skinTone);
  return belongs ? pack(kinds.emoji, Math.max(widthBefore, width), true) : own;
}

/* Marks are drawn over what is there. U+FE0F asks for the picture, which is wide. */
function placeMark(codePoint: number, kindBefore: number, widthBefore: number): number {
  if (kindBefore === kinds.emoji) {
    if (codePoint === emojiSelector) return pack(kinds.emoji, 2, true);
    return pack(codePoint === zwj ? kinds.emojiJoiner : kinds.emoji, widthBefore, true);
  }
  const isKey = kindBefore === kinds.keyBase && codePoint === emojiSelector;
  return pack(kinds.other, isKey ? 2 : widthBefore, true);
}

function pack(kind: Kind, width: number, joined: boolean): number {
  return (kind << 3) | (width << 1) | (joined ? 1 : 0);
}

/* Columns of a text without control characters. */
export function textColumns(text: string): number {
  let columns = 0;
  let before = noPlace;
  for (const character of text) {
    const place = placeCharacter(character.codePointAt(0) ?? 0, before);
    columns += widthOfPlace(place) - (isJoined(place) ? widthOfPlace(before) : 0);
    before = place;
  }
  return columns;
}

/* Of the first two planes, which hold all that needs a closer look; 255 is "not asked yet". */
const known = new Uint8Array(0x2_0000).fill(255);

/* The place of a character that follows nothing. */
function ownPlace(codePoint: number): number {
  if (codePoint >= known.length) return placeOfHighPlane(codePoint);
  const place = known[codePoint] ?? 255;
  if (place !== 255) return place;
  const found = findPlace(codePoint);
  known[codePoint] = found;
  return found;
}

/* Ideographs, assigned or not; tags and variation selectors; private use. */
function placeOfHighPlane(codePoint: number): number {
  if (codePoint < 0x4_0000) return pack(kinds.other, 2, false);
  return pack(kinds.other, codePoint >= 0xe_0000 && codePoint < 0xe_1000 ? 0 : 1, false);
}

const mark = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Zl}\p{Zp}]$/u;
/* Vowels and finals of Hangul, which are drawn into the syllable that the consonant before them begins. */
const hangulPart = /^[\u1160-\u11ff\ud7b0-\ud7ff]$/u;
/* Format characters that are drawn: the soft hyphen, and Arabic, Syriac and Kaithi signs that stand before numbers. */
const drawnFormat = /^[\u00ad\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]$/u;

function findPlace(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  const isMark = mark.test(character) && !drawnFormat.test(character);
  if (isMark || hangulPart.test(character)) return pack(kinds.other, 0, false);
  return pack(kindOf(character), eastAsianWidth(codePoint), false);
}

function kindOf(character: string): Kind {
  if (/\p{Regional_Indicator}/u.test(character)) return kinds.regional;
  if (/\p{Emoji_Modifier}/u.test(character)) return kinds.skinTone;
  if (!/\p{Emoji}/u.test(character)) return kinds.other;
  return /\p{Extended_Pictographic}/u.test(character) ? kinds.emoji : kinds.keyBase;
}
