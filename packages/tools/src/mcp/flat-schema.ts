/*
 * A union as one flat JSON schema object.
 *
 * Agents and their APIs understand `type: object` with properties and not much more: a top-level `oneOf` is refused by some
 * and misread by others. So what a client is shown is the sum of all members, each property with the values it can have, and
 * required only where every member requires it. What the sum cannot say is said in words and checked by the union itself.
 */
import { z } from 'zod';

export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, PropertySchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

export type PropertySchema = Readonly<Record<string, unknown>>;

/* `texts` describes properties by name; what the members themselves say is the fallback. */
export function flatSchema(
  members: readonly z.ZodObject[],
  io: 'input' | 'output',
  texts: Readonly<Record<string, string>> = {},
): ObjectSchema {
  const schemas = members.map((member) => objectSchema(member, io));
  const names = [...new Set(schemas.flatMap((schema) => Object.keys(schema.properties)))];
  const properties = names.map((name) => {
    const variants = schemas.flatMap((schema) => {
      const own = schema.properties[name];
      return own === undefined ? [] : [own];
    });
    const description = texts[name];
    const merged = mergeVariants(variants);
    return [name, description === undefined ? merged : { ...merged, description }] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: names.filter((name) => schemas.every(({ required }) => required.includes(name))),
    additionalProperties: io === 'output',
  };
}

function objectSchema(member: z.ZodObject, io: 'input' | 'output'): ObjectSchema {
  const { properties, required } = z.toJSONSchema(member, { io }) as Partial<ObjectSchema>;
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).map(([name, schema]) => [name, withoutNoise(schema)]),
    ),
    required: required ?? [],
    additionalProperties: false,
  };
}

/*
 * The range of every safe integer says nothing, a pattern says in 300 characters what the format beside it says, and names of
 * properties are strings anyway.
 */
function withoutNoise(schema: PropertySchema): PropertySchema {
  const isNoise = (name: string, value: unknown): boolean =>
    value === Number.MIN_SAFE_INTEGER ||
    value === Number.MAX_SAFE_INTEGER ||
    (name === 'pattern' && 'format' in schema) ||
    name === 'propertyNames';
  const kept = Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !isNoise(name, value))
      .map(([name, value]) => [name, name === 'enum' ? value : withoutNoiseInside(value)]),
  );
  return withOneType(kept);
}

/* Some clients know only one type for each property, and alternatives beside it. */
function withOneType({ type, ...schema }: PropertySchema): PropertySchema {
  if (type === undefined) return schema;
  if (!Array.isArray(type)) return { type, ...schema };
  return { ...schema, anyOf: type.map((one: unknown) => ({ type: one })) };
}

function withoutNoiseInside(value: unknown): unknown {
  const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isSchema ? withoutNoise(value as PropertySchema) : value;
}

/* Constants become one enumeration, integers one range; other differences become alternatives. */
function mergeVariants(variants: readonly PropertySchema[]): PropertySchema {
  const different = [...new Map(variants.map((one) => [JSON.stringify(one), one])).values()];
  const [first, ...others] = different;
  if (first === undefined) return {};
  const values = different.map(enumOf);
  if (values.every((one) => one !== undefined)) {
    const { const: _constant, ...rest } = first;
    return { ...rest, type: 'string', enum: [...new Set(values.flat())] };
  }
  if (others.length === 0) return first;
  return different.every(({ type }) => type === 'integer')
    ? { type: 'integer', ...widest(different) }
    : { anyOf: different };
}

function widest(ranges: readonly PropertySchema[]): PropertySchema {
  const bound = (name: string, pick: (...values: number[]) => number): PropertySchema => {
    const bounds = ranges.map((range) => range[name]);
    return bounds.every((one) => typeof one === 'number') ? { [name]: pick(...bounds) } : {};
  };
  return { ...bound('minimum', Math.min), ...bound('maximum', Math.max) };
}

function enumOf(schema: PropertySchema): readonly string[] | undefined {
  if (typeof schema['const'] === 'string') return [schema['const']];
  const values = schema['enum'];
  return Array.isArray(values) && schema['type'] === 'string' ? values.map(String) : undefined;
}
