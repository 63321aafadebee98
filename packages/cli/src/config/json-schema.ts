/*
 * The settings as a JSON schema, for editors: `"$schema"` in the file may name it.
 * Published as docs/config.schema.json, which a test compares with this.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../render/run-json.ts';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

interface Group {
  readonly fields: Map<string, Group | SettingKey>;
  /* A setting that is an object and has others inside of it, as `agents`. */
  readonly own?: SettingKey;
}

export function configSchema(): Json {
  const root: Group = { fields: new Map() };
  for (const key of settingKeys) {
    const words = key.split('.');
    const last = words.pop() ?? '';
    let group = root;
    for (const word of words) group = groupIn(group, word);
    group.fields.set(last, key);
  }
  const top = objectSchema(root);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Clawdfather (config.jsonc)',
    ...top,
    properties: { $schema: { type: 'string' }, ...top.properties },
  };
}

function groupIn(group: Group, name: string): Group {
  const there = group.fields.get(name);
  if (typeof there === 'object') return there;
  const made: Group = { fields: new Map(), ...(there === undefined ? {} : { own: there }) };
  group.fields.set(name, made);
  return made;
}

function objectSchema(group: Group): { readonly [name: string]: Json } & {
  readonly properties: { readonly [name: string]: Json };
} {
  const properties: Record<string, Json> = {};
  for (const [name, field] of group.fields) {
    properties[name] = typeof field === 'string' ? settingSchema(field) : objectSchema(field);
  }
  const own = group.own === undefined ? {} : settingSchema(group.own);
  return { type: 'object', additionalProperties: false, ...own, properties };
}

function settingSchema(key: SettingKey): { readonly [name: string]: Json } {
  const { kind, summary } = settingOf(key);
  const usual = usualJson(key);
  return {
    description: summary,
    ...kind.schema,
    ...(usual === undefined ? {} : { default: usual }),
  };
}

/* Undefined for a default that depends on who asks: the state directory is in somebody's home. */
export function usualJson(key: SettingKey): Json | undefined {
  const { kind, usual } = settingOf(key);
  const [one, other] = ['/one', '/other'].map((home) =>
    kind.toJson(usual({ env: { HOME: home }, cwd: '/' })),
  );
  return isDeepStrictEqual(one, other) ? one : undefined;
}
