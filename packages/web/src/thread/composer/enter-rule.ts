/*
 * Whether a key sends the message.
 *
 * On a touch screen Enter is a new line; with a keyboard it sends, and Shift+Enter is the new line. While an input method puts a
 * character together, nothing is sent. Keyboards of Android do not say which key it was (229): there the line break itself is heard.
 */
export interface EnterWays {
  /* `keyboard`: with a keyboard of its own. */
  readonly enterSends: 'keyboard' | 'always' | 'never';
  /* The screen is touched, so the keyboard is on it. */
  readonly isTouch: boolean;
}

export interface PressedKey {
  readonly key: string;
  readonly keyCode: number;
  readonly isComposing: boolean;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

const unnamedKey = 229;

export function doesKeySend(pressed: PressedKey, { enterSends, isTouch }: EnterWays): boolean {
  const { key, keyCode, isComposing, shiftKey, ctrlKey, metaKey } = pressed;
  if (key !== 'Enter' || isComposing || keyCode === unnamedKey || shiftKey) return false;
  if (ctrlKey || metaKey) return true;
  return enterSends === 'always' || (enterSends === 'keyboard' && !isTouch);
}

/* Of what is about to be typed, when the key before it had no name. */
export function doesLineBreakSend(
  { inputType, isComposing }: Pick<InputEvent, 'inputType' | 'isComposing'>,
  lastKeyCode: number,
  { enterSends }: EnterWays,
): boolean {
  const isBreak = inputType === 'insertLineBreak' || inputType === 'insertParagraph';
  return isBreak && !isComposing && lastKeyCode === unnamedKey && enterSends === 'always';
}
