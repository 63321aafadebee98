/*
 * Which option answers what an agent asks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseOption } from '../../src/threads/choose-option.ts';

const option = (id: string, kind: string) => ({ option_id: id, name: id.toUpperCase(), kind });
const usual = [
  option('yes', 'allow_once'),
  option('ever', 'allow_always'),
  option('no', 'reject_once'),
];
const flag = ' -g home';

test('the one of its kind, where there is exactly one', () => {
  const ask = { id: 'a', options: usual };
  assert.equal(chooseOption(ask, { decision: 'allow-once', flag }).option_id, 'yes');
  assert.equal(chooseOption(ask, { decision: 'allow-always', flag }).option_id, 'ever');
  assert.equal(chooseOption(ask, { decision: 'deny', flag }).option_id, 'no');
});

test('several or none of the kind: nothing is chosen, and all are listed', () => {
  const several = { id: 'a', options: [...usual, option('yes2', 'allow_once')] };
  assert.throws(() => chooseOption(several, { decision: 'allow-once', flag }), {
    code: 'option-needed',
    message: /several of its options are "allow_once"/,
    hint: /clf allow -g home a --option OPTION.*yes \(YES, allow_once\), ever .*yes2/,
  });
  const none = { id: 'a', options: [option('x\u202e', 'other')] };
  assert.throws(() => chooseOption(none, { decision: 'deny', flag }), {
    code: 'option-needed',
    hint: /clf deny -g home a --option OPTION.*x\\u202e/,
  });
  assert.throws(() => chooseOption({ id: 'a', options: [] }, { decision: 'deny', flag }), {
    hint: /There are: none/,
  });
});

test('a named one counts by its id, whatever its kind and its name', () => {
  const ask = { id: 'a', options: usual };
  assert.equal(
    chooseOption(ask, { decision: 'allow-once', option: 'ever', flag }).option_id,
    'ever',
  );
  assert.throws(() => chooseOption(ask, { decision: 'allow-once', option: 'YES', flag }), {
    code: 'option-needed',
    message: /no option "YES"/,
  });
});
