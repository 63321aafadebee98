/*
 * Rows become records here and nowhere else: snake_case becomes camelCase, NULL becomes absence, `…_json` is parsed and
 * loses its ending. The types say the same as the code.
 */
import type { Json, JsonText } from './json-text.ts';
import { parseJson } from './json-text.ts';

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

type WithoutJson<Name extends string> = Name extends `${infer Base}_json` ? Base : Name;

type Value<Column> = Column extends JsonText<infer Inner> ? Inner : Column;

type Nullable<Row> = {
  [Name in keyof Row]: null extends Row[Name] ? Name : never;
}[keyof Row];

export type RecordOf<Row> = {
  readonly [Name in Exclude<keyof Row, Nullable<Row>> & string as Camel<WithoutJson<Name>>]: Value<
    Row[Name]
  >;
} & {
  readonly [Name in Nullable<Row> & string as Camel<WithoutJson<Name>>]?: Value<
    Exclude<Row[Name], null>
  >;
};

interface Field {
  readonly name: string;
  readonly isJson: boolean;
  readonly isShown: boolean;
}

/** Of the page that a row is on, not of the row (select.ts). */
const pageColumn = 'page_total';

const fields = new Map<string, Field>();

export function toRecord<Row extends object>(row: Row): RecordOf<Row> {
  const record: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null) continue;
    const field = fieldOf(column);
    if (!field.isShown) continue;
    record[field.name] = field.isJson ? parseJson(value as JsonText<Json>) : value;
  }
  return record as RecordOf<Row>;
}

export function toOptionalRecord<Row extends object>(
  row: Row | undefined,
): RecordOf<Row> | undefined {
  return row === undefined ? undefined : toRecord(row);
}

function fieldOf(column: string): Field {
  const known = fields.get(column);
  if (known !== undefined) return known;
  const isJson = column.endsWith('_json');
  const name = (isJson ? column.slice(0, -'_json'.length) : column).replaceAll(
    /_([a-z0-9])/g,
    (_match, letter: string) => letter.toUpperCase(),
  );
  const field = { name, isJson, isShown: column !== pageColumn };
  /* Bounded: columns are the schema's and the aliases in our queries. */
  fields.set(column, field);
  return field;
}
