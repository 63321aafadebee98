/*
 * Operands: the words of a command line that are neither flags nor values of flags, declared in their order with
 * their kinds. OperandValues is the type of what a command's code receives.
 */
import type { TextKind } from './kinds.ts';

export interface Operand<Value> {
  readonly kind: TextKind<unknown>;
  /* What an error calls it: `the shell`. */
  readonly label: string;
  readonly isOptional: boolean;
  /* Takes all that follow, so it comes last. */
  readonly isList: boolean;
  readonly read: (texts: readonly string[]) => Value;
}

export type OperandTable = Readonly<Record<string, Operand<unknown>>>;

export type OperandValues<Operands extends OperandTable> = {
  readonly [Key in keyof Operands]: Operands[Key] extends Operand<infer Value> ? Value : never;
};

export function operand<Value>(kind: TextKind<Value>, label = kind.placeholder): Operand<Value> {
  return {
    kind,
    label,
    isOptional: false,
    isList: false,
    // The parser has counted the words before.
    read: ([text = '']) => kind.fromText(label, text),
  };
}

export function optionalOperand<Value>(
  kind: TextKind<Value>,
  label = kind.placeholder,
): Operand<Value | undefined> {
  return {
    kind,
    label,
    isOptional: true,
    isList: false,
    read: ([text]) => (text === undefined ? undefined : kind.fromText(label, text)),
  };
}

/* One or more. */
export function operandList<Value>(
  kind: TextKind<Value>,
  label = kind.placeholder,
): Operand<readonly Value[]> {
  return { ...optionalOperandList(kind, label), isOptional: false };
}

/* Any number, or none. */
export function optionalOperandList<Value>(
  kind: TextKind<Value>,
  label = kind.placeholder,
): Operand<readonly Value[]> {
  return {
    kind,
    label,
    isOptional: true,
    isList: true,
    read: (texts) => texts.map((text) => kind.fromText(label, text)),
  };
}

/* `RUN [KEY …]` */
export function formatOperands(operands: OperandTable): string {
  return Object.values(operands)
    .map(({ kind, isList, isOptional }) => {
      const { placeholder, listPlaceholder = `${placeholder} …` } = kind;
      const words = isList ? listPlaceholder : placeholder;
      return isOptional ? `[${words}]` : words;
    })
    .join(' ');
}
