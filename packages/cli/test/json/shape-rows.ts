/*
 * A shape as rows of docs/cli-json.md: each field with its path, its type and its meaning.
 */
import { type CliShape, cliShapeJsonSchema } from '@clawdfather/protocol';

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/* Shapes inside others are told once, under their own name. */
const named: ReadonlyMap<string, CliShape> = new Map(
  (['run', 'exit'] as const).map((name) => [textOf(name), name]),
);

function textOf(name: CliShape): string {
  const { description: _, ...schema } = schemaOf(name) as Schema & { $schema?: string };
  return JSON.stringify({ ...schema, $schema: undefined });
}

function schemaOf(name: CliShape): Schema {
  return cliShapeJsonSchema(name) as Schema;
}

export function rowsOf(name: CliShape): string[] {
  const schema = schemaOf(name);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants === undefined) return fieldRows(schema, '');
  return variants.flatMap((variant) => fieldRows(variant, ''));
}

function fieldRows(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const isOptional = !(schema.required ?? []).includes(name);
    const inner = unwrapped(field);
    const shape = named.get(JSON.stringify({ ...inner, description: undefined }));
    const row = `| \`${path}\` | ${typeText(field, shape)}${isOptional ? ', may be absent' : ''} | ${meaning(field)} |`;
    if (shape !== undefined) return [row];
    const items = inner.items;
    const below =
      items?.properties === undefined
        ? fieldRows(inner, `${path}.`)
        : fieldRows(items, `${path}[].`);
    return [row, ...below];
  });
}

/* Without the null that may stand for it. */
function unwrapped(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return others.length === 1 && others[0] !== undefined ? others[0] : schema;
}

function meaning(schema: Schema): string {
  return schema.description ?? unwrapped(schema).description ?? '';
}

function typeText(schema: Schema, shape: CliShape | undefined): string {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) {
    return variants
      .map((one) => typeText(one, one.type === 'null' ? undefined : shape))
      .join(' or ');
  }
  if (shape !== undefined) return `[${shape}](#${shape})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${one}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items, undefined)}`;
  if (schema.format === 'date-time') return 'time';
  return [schema.type ?? 'anything'].flat().join(' or ');
}
