/*
 * What characters and sequences do on a screen of 80 columns, as facts: tests compare them with the model, with the tables of
 * the command line and with tmux.
 */
export interface ColumnFact {
  readonly name: string;
  readonly text: string;
  readonly columns: number;
  /* Why tmux is not asked: its answer depends on its version and on the tables of the C library. */
  readonly unlikeTmux?: string;
}

const tables = 'newer than the tables of a C library of 2022';
const selectors = 'older versions draw the picture in one column';

export const columnFacts: readonly ColumnFact[] = [
  { name: 'letters', text: 'abc', columns: 3 },
  { name: 'Chinese and Japanese', text: '日本語', columns: 6 },
  { name: 'Korean', text: '한국', columns: 4 },
  { name: 'Korean from its parts', text: '\u1112\u1161\u11ab', columns: 2 },
  { name: 'a rare ideograph', text: '\u{20000}', columns: 2 },
  { name: 'full width', text: 'ＡＢ', columns: 4 },
  { name: 'half width', text: 'ｱｲ', columns: 2 },
  { name: 'ambiguous width', text: '§±×…“”①αя', columns: 9 },
  { name: 'lines and blocks', text: '│─█▌⠋', columns: 5 },
  { name: 'symbols of fonts for terminals', text: '\ue0b0\uf113', columns: 2 },
  { name: 'a mark', text: 'e\u0301', columns: 1 },
  { name: 'two marks', text: 'a\u0308\u0323', columns: 1 },
  { name: 'a mark over a wide character', text: 'か\u3099', columns: 2 },
  { name: 'Thai, with a vowel of its own column', text: 'ที่กำ', columns: 3 },
  { name: 'Hindi', text: 'नमस्ते', columns: 4 },
  { name: 'Arabic and Hebrew with vowels', text: 'مَשָ', columns: 2 },
  { name: 'a space of no width', text: 'a\u200bb', columns: 2 },
  { name: 'joiners between letters', text: 'a\u200db\u200cc', columns: 3 },
  { name: 'a word joiner', text: 'a\u2060b', columns: 2 },
  { name: 'a soft hyphen', text: 'a\u00adb', columns: 3 },
  { name: 'a mark after a change of colour', text: 'e\u001b[31m\u0301', columns: 1 },
  { name: 'emoji', text: '😀🚀✅', columns: 6 },
  { name: 'emoji of 2021', text: '🫠🫡', columns: 4, unlikeTmux: tables },
  { name: 'emoji of 2022 and 2024', text: '🫨🫩', columns: 4, unlikeTmux: tables },
  { name: 'trigrams, wide since 2024', text: '☰', columns: 2, unlikeTmux: tables },
  { name: 'symbols that can be emoji', text: '❤⚠✔', columns: 3 },
  { name: 'the same with U+FE0E', text: '❤\ufe0e', columns: 1 },
  { name: 'the same with U+FE0F', text: '❤\ufe0f⚠\ufe0f', columns: 4, unlikeTmux: selectors },
  { name: 'a wide one with U+FE0F', text: '✅\ufe0f', columns: 2 },
  { name: 'a letter with U+FE0F', text: 'a\ufe0f', columns: 1 },
  { name: 'a key', text: '1\ufe0f\u20e3', columns: 2, unlikeTmux: selectors },
  { name: 'digits', text: '123#*', columns: 5 },
  { name: 'a family', text: '👨\u200d👩\u200d👧', columns: 2 },
  { name: 'a profession', text: '👩\u200d💻', columns: 2 },
  { name: 'a runner', text: '🏃\u200d♀\ufe0f', columns: 2 },
  { name: 'a rainbow', text: '🏳\ufe0f\u200d🌈', columns: 2, unlikeTmux: selectors },
  { name: 'a skin tone', text: '👍🏽', columns: 2, unlikeTmux: 'older versions draw it beside' },
  { name: 'a skin tone alone', text: '🏽', columns: 2 },
  { name: 'a skin tone after a letter', text: 'a🏽', columns: 3 },
  { name: 'an astronaut', text: '👩🏽\u200d🚀', columns: 2, unlikeTmux: 'as for a skin tone' },
  { name: 'a flag', text: '🇩🇪', columns: 2 },
  { name: 'two flags and a half', text: '🇩🇪🇫🇷🇮', columns: 5 },
  { name: 'a flag of tags', text: '🏴\u{e0067}\u{e0062}\u{e0073}\u{e007f}', columns: 2 },
];

export interface ScreenFact {
  readonly name: string;
  readonly output: string;
  /* The first rows; what follows is empty. */
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
  /* Why tmux is not asked. */
  readonly unlikeTmux?: string;
}

const CSI = '\u001b[';
const half = 'it leaves the other half there; xterm and VTE do not';
const x79 = 'x'.repeat(79);
const x78 = 'x'.repeat(78);

/* Wide characters at the edge of 80 columns, and halves of them. */
export const screenFacts: readonly ScreenFact[] = [
  {
    name: 'one that does not fit goes to the next row',
    output: `${x79}日`,
    rows: [x79, '日'],
    cursor: { row: 1, column: 2 },
  },
  {
    name: 'one that just fits stays, and the cursor waits on the last column',
    output: `${x78}日`,
    rows: [`${x78}日`],
    cursor: { row: 0, column: 79 },
    unlikeTmux: 'it answers with the column after the last one, which xterm and VTE do not',
  },
  {
    name: 'emoji as well',
    output: `${x79}🚀!`,
    rows: [x79, '🚀!'],
    cursor: { row: 1, column: 3 },
  },
  {
    name: 'the left half is erased: so is the right one',
    output: `日本${CSI}1;1H${CSI}X`,
    rows: ['  本'],
    cursor: { row: 0, column: 0 },
    unlikeTmux: half,
  },
  {
    name: 'the right half is erased: so is the left one',
    output: `日本${CSI}1;2H${CSI}X`,
    rows: ['  本'],
    cursor: { row: 0, column: 1 },
    unlikeTmux: half,
  },
  {
    name: 'written over on the left',
    output: `日本${CSI}1;3Hx`,
    rows: ['日x'],
    cursor: { row: 0, column: 3 },
  },
  {
    name: 'written over on the right',
    output: `日本${CSI}1;2Hx`,
    rows: [' x本'],
    cursor: { row: 0, column: 2 },
    unlikeTmux: half,
  },
  {
    name: 'a wide one over the halves of two',
    output: `日本${CSI}1;2H語!`,
    rows: [' 語!'],
    cursor: { row: 0, column: 4 },
    unlikeTmux: half,
  },
  {
    name: 'the row is erased from the middle of one',
    output: `日本語${CSI}1;4H${CSI}K`,
    rows: ['日'],
    cursor: { row: 0, column: 3 },
    unlikeTmux: half,
  },
  {
    name: 'blanks behind wide characters are no text',
    output: '日本   ',
    rows: ['日本'],
    cursor: { row: 0, column: 7 },
  },
];
