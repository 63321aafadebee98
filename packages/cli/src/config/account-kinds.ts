/*
 * The kind of the one setting whose keys are not ours: what an operator says about single accounts, by their ids.
 *
 * In the file `{"accounts": {"ID": {"runAs": "ann", "sessionsMax": 10}}}`; in a variable, for users alone, `ID=ann,ID2=bob`. Whether
 * there is such a user is looked at by the gateway when it starts, since other commands read the file too.
 */
import { isId } from '@clawdfather/kit';
import { usageError } from '../errors.ts';
import type { Kind } from './kinds.ts';

export interface AccountSetting {
  readonly id: string;
  readonly runAs?: string;
  /* Instead of what every account has. */
  readonly sessionsMax?: number;
  readonly sessionStartsPerHour?: number;
}

const idHint = 'An id has 16 characters; the refusal that a member gets names it.';
const shape = 'Write it as {"ID": {"runAs": "USER"}}.';
const userPattern = '^[A-Za-z_][A-Za-z0-9_.-]*[$]?$';
/* As those of the settings for all accounts. */
const countMax = 100_000;
const counts = ['sessionsMax', 'sessionStartsPerHour'] as const;
type CountName = (typeof counts)[number];

export const accountSettings: Kind<readonly AccountSetting[]> = {
  placeholder: 'ID=USER,…',
  fromText: (label, text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item) => {
        const [id = '', runAs = '', ...rest] = item.split('=');
        if (rest.length > 0) throw usageError(`${label} is not ID=USER: "${item}"`);
        return parseOne(label, id, { runAs });
      }),
  fromJson: (label, json) =>
    entriesOf(label, json).map(([id, account]) => {
      const own = `${label}.${id}`;
      const fields = entriesOf(own, account);
      const unknown = fields.find(([name]) => name !== 'runAs' && !isCount(name));
      if (unknown !== undefined)
        throw usageError(`there is no setting ${own}.${unknown[0]}`, shape);
      // Nothing at all is a user that was forgotten.
      return parseOne(label, id, fields.length === 0 ? { runAs: undefined } : account);
    }),
  toJson: (accounts) => Object.fromEntries(accounts.map(({ id, ...fields }) => [id, fields])),
  schema: {
    type: 'object',
    propertyNames: { pattern: '^[0-9a-hjkmnp-tv-z]{16}$' },
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        runAs: { type: 'string', pattern: userPattern },
        ...Object.fromEntries(
          counts.map((name) => [name, { type: 'integer', minimum: 1, maximum: countMax }]),
        ),
      },
    },
  },
  isObject: true,
};

function isCount(name: string): name is CountName {
  return counts.some((each) => each === name);
}

function entriesOf(label: string, json: unknown): readonly (readonly [string, unknown])[] {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) throw usageError(`${label} is not a { … } object`, shape);
  return Object.entries(json);
}

function parseOne(label: string, id: string, account: unknown): AccountSetting {
  if (!isId(id))
    throw usageError(`${label}: ${JSON.stringify(id)} is not the id of an account`, idHint);
  const own = `${label}.${id}`;
  const fields = entriesOf(own, account).map(([name, value]) => {
    return [name, isCount(name) ? parseCount(`${own}.${name}`, value) : parseUser(own, value)];
  });
  return { id, ...Object.fromEntries(fields) };
}

function parseUser(own: string, runAs: unknown): string {
  if (typeof runAs === 'string' && new RegExp(userPattern).test(runAs)) return runAs;
  const what = runAs === undefined ? 'is missing' : 'is not the name of a Unix user';
  throw usageError(`${own}.runAs ${what}`, shape);
}

function parseCount(name: string, value: unknown): number {
  const isCountValue = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= countMax;
  if (isCountValue) return Number(value);
  throw usageError(`${name} is not a whole number from 1 to ${countMax}`, shape);
}
