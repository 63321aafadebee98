/*
 * The kind of the one setting whose keys are not ours: what an operator says about single accounts, by their ids.
 *
 * In the file `{"accounts": {"ID": {"runAs": "ann"}}}`; in a variable `ID=ann,ID2=bob`. Whether there is such a user is looked at by
 * the gateway when it starts, since other commands read the file too.
 */
import { isId } from '@clawdfather/kit';
import { usageError } from '../errors.ts';
import type { Kind } from './kinds.ts';

export interface AccountSetting {
  readonly id: string;
  readonly runAs: string;
}

const idHint = 'An id has 16 characters; the refusal that a member gets names it.';
const shape = 'Write it as {"ID": {"runAs": "USER"}}.';
const userPattern = '^[A-Za-z_][A-Za-z0-9_.-]*[$]?$';

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
        return parseOne(label, id, runAs);
      }),
  fromJson: (label, json) =>
    entriesOf(label, json).map(([id, account]) => {
      const own = `${label}.${id}`;
      const fields = entriesOf(own, account);
      const unknown = fields.find(([name]) => name !== 'runAs');
      if (unknown !== undefined)
        throw usageError(`there is no setting ${own}.${unknown[0]}`, shape);
      const [, runAs] = fields[0] ?? [];
      return parseOne(label, id, runAs);
    }),
  toJson: (accounts) => Object.fromEntries(accounts.map(({ id, runAs }) => [id, { runAs }])),
  schema: {
    type: 'object',
    propertyNames: { pattern: '^[0-9a-hjkmnp-tv-z]{16}$' },
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      required: ['runAs'],
      properties: { runAs: { type: 'string', pattern: userPattern } },
    },
  },
  isObject: true,
};

function entriesOf(label: string, json: unknown): readonly (readonly [string, unknown])[] {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject) throw usageError(`${label} is not a { … } object`, shape);
  return Object.entries(json);
}

function parseOne(label: string, id: string, runAs: unknown): AccountSetting {
  if (!isId(id))
    throw usageError(`${label}: ${JSON.stringify(id)} is not the id of an account`, idHint);
  if (typeof runAs !== 'string' || !new RegExp(userPattern).test(runAs)) {
    const what = runAs === undefined ? 'is missing' : 'is not the name of a Unix user';
    throw usageError(`${label}.${id}.runAs ${what}`, shape);
  }
  return { id, runAs };
}
