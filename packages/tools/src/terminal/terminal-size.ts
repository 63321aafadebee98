/*
 * How large a terminal is, in cells.
 */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}
