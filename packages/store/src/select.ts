/*
 * Reads that every request makes, compiled once.
 *
 * Building and compiling a query with kysely costs several times what SQLite needs to answer it. A `Select` is written like
 * any other query; it is built once for each set of values that are there, with a slot in the place of each value, and from
 * then on asking is putting the values into the slots.
 *
 * So a value may decide what the query looks like by being there or not, and by nothing else.
 */
import { type Compilable, type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely';
import { type Listing, limitOf, offsetOf, type Page } from './context.ts';
import type { Database, Runner } from './engine.ts';
import type { DialectName } from './migrations/migration.ts';
import { type RecordOf, toRecord } from './schema/record.ts';
import type { Tables } from './schema/tables.ts';

export interface Select<Values extends object, Row> {
  /** The statement with these values in it. */
  bind(on: SelectTarget, values: Values): CompiledQuery<Row>;
}

export interface SelectTarget {
  readonly dialect: DialectName;
  /** Only compiles here. */
  readonly db: Database;
}

class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A set of values that are there, one step per name: a text of all of them would be put together and hashed for every read.
 * Bounded: two databases, and the few sets of values that a query's callers have.
 */
interface Shape<Row> {
  query: CompiledQuery<Row> | undefined;
  readonly longer: Map<string, Shape<Row>>;
}

function newShape<Row>(): Shape<Row> {
  return { query: undefined, longer: new Map() };
}

function longerShape<Row>({ longer }: Shape<Row>, name: string): Shape<Row> {
  let shape = longer.get(name);
  if (shape === undefined) {
    shape = newShape();
    longer.set(name, shape);
  }
  return shape;
}

export function createSelect<Values extends object, Row>(
  build: (db: Database, values: Values) => Compilable<Row>,
): Select<Values, Row> {
  const compiled = newShape<Row>();
  return {
    bind: ({ dialect, db }, values) => {
      /* By name: which ones there are is the caller's type. */
      const given = values as Readonly<Record<string, unknown>>;
      let shape = longerShape(compiled, dialect);
      for (const name in given) if (given[name] !== undefined) shape = longerShape(shape, name);
      let { query } = shape;
      if (query === undefined) {
        const names = Object.keys(given).filter((name) => given[name] !== undefined);
        const slots = Object.fromEntries(names.map((name) => [name, new Slot(name)]));
        /* kysely takes a value as it is and hands it on as a parameter, so a slot may stand for any type. */
        query = build(db, slots as Values).compile();
        shape.query = query;
      }
      const parameters = query.parameters.map((parameter) =>
        parameter instanceof Slot ? given[parameter.name] : parameter,
      );
      return { ...query, parameters };
    },
  };
}

/** The column in which each row of a page says how many there are in all; no part of its record. */
export interface PageTotal {
  readonly page_total: number;
}

export type PageValues<Values> = Values & { readonly limit: number; readonly offset: number };

/** A page of what an ordered query finds; each row has the number of all. */
export function pageOf<Name extends keyof Tables>(
  ordered: SelectQueryBuilder<Tables, Name, object>,
  { limit, offset }: PageValues<unknown>,
) {
  const total = ordered.clearOrderBy().select((eb) => eb.fn.countAll().as('count'));
  return ordered
    .selectAll()
    .select(sql<number>`${total}`.as('page_total'))
    .limit(limit)
    .offset(offset);
}

/**
 * A page and the number of all, in one statement, so that the two agree without a transaction. A page beyond the end has no
 * row to say the number; then the first row is asked.
 */
export async function selectPage<Values extends object, Row extends PageTotal>(
  runner: Runner,
  select: Select<PageValues<Values>, Row>,
  { page, values }: { readonly page: Page; readonly values: Values },
): Promise<Listing<RecordOf<Omit<Row, 'page_total'>>>> {
  const [limit, offset] = [limitOf(page), offsetOf(page)];
  const rows = await runner.select(select, { ...values, limit, offset });
  if (rows.length > 0 || offset === 0) {
    return { items: rows.map(toRecord<Omit<Row, 'page_total'>>), total: rows[0]?.page_total ?? 0 };
  }
  const [first] = await runner.select(select, { ...values, limit: 1, offset: 0 });
  return { items: [], total: first?.page_total ?? 0 };
}
