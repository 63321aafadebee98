/*
 * What a program has switched on in the terminal, read off its output.
 *
 * Three uses. A terminal that attaches later must be put into the same modes:
 * the terminal model's own serialisation leaves out some that matter (a hidden
 * cursor, SGR mouse, kitty keys). A terminal that detaches must be put back,
 * or the shell gets mouse reports for keystrokes. And keys and pastes are sent
 * as the program has asked for them.
 *
 * The alternate screen is kept apart: painting it is the terminal model's job.
 */
import { createScanner, type Token } from './sequences.ts';
import type { TerminalModes } from './terminal-model.ts';

export interface ModeTracker {
  push(bytes: Uint8Array): void;
  /* Sequences that bring a fresh terminal into the current modes, without the alternate screen. */
  apply(): string;
  /* Sequences that bring a terminal in these modes back to normal; empty if nothing is on. */
  undo(): string;
  /* What decides how keys and pastes are sent. */
  modes(): TerminalModes;
  readonly isAlternateScreen: boolean;
  /* The last one that was set, as it came. */
  readonly title: string;
}

const CSI = '\u001b[';
const alternateScreens = new Set([47, 1047, 1049]);
/* Cursor save and 80/132 columns are actions, not states to be restored. */
const notStates = new Set([3, 1048]);
const originMode = 6;
/* DECNKM: `ESC =` and `ESC >` as a mode. */
const keypadMode = 66;
/* On in a fresh terminal: auto-wrap, visible cursor. Every other private mode is off. */
const onByDefault = new Set([7, 25]);

interface Modes {
  readonly privates: Map<number, boolean>;
  readonly ansi: Map<number, boolean>;
  alternateScreen: number | undefined;
  isKeypadApplication: boolean;
  cursorStyle: string;
  /* Flags of the kitty keyboard protocol, one per push. */
  kittyFlags: number[];
  modifyOtherKeys: string;
  scrollRegion: string;
  isGraphicsCharset: boolean;
  /* Colours or attributes are on. */
  isStyled: boolean;
}

const freshModes = (): Modes => ({
  privates: new Map(),
  ansi: new Map(),
  alternateScreen: undefined,
  isKeypadApplication: false,
  cursorStyle: '',
  kittyFlags: [],
  modifyOtherKeys: '',
  scrollRegion: '',
  isGraphicsCharset: false,
  isStyled: false,
});

/* Programs push one or two; a loop that pushes for ever must not fill our memory. */
const kittyDepthMax = 16;

export function createModeTracker(): ModeTracker {
  let modes = freshModes();
  let title = '';
  const onToken = (token: Token): void => {
    if (token.kind === 'csi') onCsi(modes, token);
    else if (token.kind === 'string') title = titleIn(token) ?? title;
    else if (token.kind === 'escape') {
      if (token.final === 'c' && token.intermediates === '') modes = freshModes();
      else onEscape(modes, token);
    }
  };
  const skip = (bytes: Uint8Array, from: number, end: number): boolean => {
    const final = bytes[end - 1] ?? 0;
    if (final !== finalOfStyle) return isModeFinal[final] === 0;
    // Styles are the most frequent of all; those with a prefix are something else.
    const first = bytes[from + 2] ?? 0;
    if (first >= 0x3c && first <= 0x3f) return false;
    modes.isStyled = !isPlainStyle(bytes, from + 2, end - 1);
    return true;
  };
  const scanner = createScanner(onToken, { skip, areTextsWanted: false });
  return {
    push: (bytes) => scanner.push(bytes),
    apply: () => formatApply(modes),
    undo: () => formatUndo(modes),
    modes: () => ({
      applicationCursor: modes.privates.get(1) === true,
      applicationKeypad: modes.isKeypadApplication,
      bracketedPaste: modes.privates.get(2004) === true,
    }),
    get isAlternateScreen() {
      return modes.alternateScreen !== undefined;
    },
    get title() {
      return title;
    },
  };
}

/* OSC 0 and OSC 2; the body is bytes, one per character. */
function titleIn({ type, body }: Extract<Token, { kind: 'string' }>): string | undefined {
  if (type !== 'osc' || !/^[02];/.test(body)) return undefined;
  return Buffer.from(body.slice(2), 'latin1').toString();
}

function onEscape(modes: Modes, token: Extract<Token, { kind: 'escape' }>): void {
  if (token.intermediates === '' && token.final === '=') modes.isKeypadApplication = true;
  if (token.intermediates === '' && token.final === '>') modes.isKeypadApplication = false;
  if (token.intermediates === '(') modes.isGraphicsCharset = token.final === '0';
}

/* The others only draw. */
const modeFinals = new Set('hlqumrp');
const finalOfStyle = 0x6d;
const isModeFinal = Uint8Array.from({ length: 0x80 }, (_, code) =>
  modeFinals.has(String.fromCharCode(code)) ? 1 : 0,
);

/* `CSI m`, `CSI 0 m`: everything off. */
function isPlainStyle(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (bytes[at] !== 0x30) return false;
  return true;
}

function onCsi(modes: Modes, token: Extract<Token, { kind: 'csi' }>): void {
  const { prefix, intermediates, final, parameters } = token;
  if (!modeFinals.has(final)) return;
  switch (`${prefix}${intermediates}${final}`) {
    case '?h':
    case '?l':
      for (const mode of numbers(parameters)) setPrivate(modes, mode, final === 'h');
      return;
    case 'h':
    case 'l':
      for (const mode of numbers(parameters)) modes.ansi.set(mode, final === 'h');
      return;
    case ' q':
      modes.cursorStyle = parameters === '0' ? '' : parameters;
      return;
    case '>u':
      modes.kittyFlags = [...modes.kittyFlags, numbers(parameters)[0] ?? 0].slice(-kittyDepthMax);
      return;
    case '<u':
      modes.kittyFlags = modes.kittyFlags.slice(0, -Math.max(1, numbers(parameters)[0] ?? 1));
      return;
    case '=u':
      setKittyFlags(modes, numbers(parameters));
      return;
    case '>m':
      if (/^4(;|$)/.test(parameters)) modes.modifyOtherKeys = parameters.slice(2);
      return;
    case 'm':
      modes.isStyled = !/^0*$/.test(parameters);
      return;
    case 'r':
      modes.scrollRegion = parameters;
      return;
    case '!p':
      softReset(modes);
      return;
  }
}

function setPrivate(modes: Modes, mode: number, isOn: boolean): void {
  if (alternateScreens.has(mode)) modes.alternateScreen = isOn ? mode : undefined;
  else if (mode === keypadMode) modes.isKeypadApplication = isOn;
  else if (!notStates.has(mode)) modes.privates.set(mode, isOn);
}

/* `CSI = flags ; how u`: 1 replaces, 2 adds, 3 takes away. */
function setKittyFlags(modes: Modes, [flags = 0, how = 1]: readonly number[]): void {
  const current = modes.kittyFlags.pop() ?? 0;
  modes.kittyFlags.push(how === 2 ? current | flags : how === 3 ? current & ~flags : flags);
}

/* DECSTR: what programs care about; mouse modes survive it. */
function softReset(modes: Modes): void {
  for (const mode of [1, 6, 7, 25]) modes.privates.delete(mode);
  modes.ansi.clear();
  modes.isKeypadApplication = false;
  modes.scrollRegion = '';
  modes.isGraphicsCharset = false;
  modes.isStyled = false;
}

function formatApply(modes: Modes): string {
  const kitty = modes.kittyFlags.at(-1) ?? 0;
  return [
    // Setting the region moves the cursor, which has its place already.
    modes.scrollRegion === '' ? '' : `\u001b7${CSI}${modes.scrollRegion}r\u001b8`,
    changedPrivates(modes)
      // Origin mode would move the cursor from where the painting left it, and hardly anyone uses it.
      .filter(([mode]) => mode !== originMode)
      .map(([mode, isOn]) => `${CSI}?${mode}${isOn ? 'h' : 'l'}`)
      .join(''),
    changedAnsi(modes)
      .map((mode) => `${CSI}${mode}h`)
      .join(''),
    modes.isKeypadApplication ? '\u001b=' : '',
    modes.isGraphicsCharset ? '\u001b(0' : '',
    modes.cursorStyle === '' ? '' : `${CSI}${modes.cursorStyle} q`,
    modes.modifyOtherKeys === '' ? '' : `${CSI}>4;${modes.modifyOtherKeys}m`,
    kitty === 0 ? '' : `${CSI}>${kitty}u`,
  ].join('');
}

function formatUndo(modes: Modes): string {
  return [
    modes.isStyled ? `${CSI}0m` : '',
    // Keys first: kitty keeps a stack per screen, so pop before the screen is left.
    modes.kittyFlags.length === 0 ? '' : `${CSI}<${modes.kittyFlags.length}u`,
    modes.modifyOtherKeys === '' ? '' : `${CSI}>4m`,
    changedPrivates(modes)
      .map(([mode, isOn]) => `${CSI}?${mode}${isOn ? 'l' : 'h'}`)
      .join(''),
    changedAnsi(modes)
      .map((mode) => `${CSI}${mode}l`)
      .join(''),
    modes.scrollRegion === '' ? '' : `\u001b7${CSI}r\u001b8`,
    modes.isKeypadApplication ? '\u001b>' : '',
    modes.isGraphicsCharset ? '\u001b(B' : '',
    modes.cursorStyle === '' ? '' : `${CSI}0 q`,
    modes.alternateScreen === undefined ? '' : `${CSI}?${modes.alternateScreen}l`,
  ].join('');
}

function changedPrivates(modes: Modes): [number, boolean][] {
  return [...modes.privates].filter(([mode, isOn]) => isOn !== onByDefault.has(mode));
}

function changedAnsi(modes: Modes): number[] {
  return [...modes.ansi].filter(([, isOn]) => isOn).map(([mode]) => mode);
}

function numbers(parameters: string): number[] {
  return parameters.split(';').filter(Boolean).map(Number);
}
