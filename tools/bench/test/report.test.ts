/*
 * The arithmetic and the words of the report: medians, ratios, aims.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile, spreadOf } from '../measure/statistics.ts';
import {
  advantage,
  aimOfRatio,
  aimOfValue,
  cellOf,
  formatNumber,
  type Row,
} from '../report/result.ts';
import { formatResult } from '../report/table.ts';

const rate: Row = {
  measure: 'runs',
  unit: '1/s',
  better: 'higher',
  cells: new Map([
    ['ours', cellOf([900, 1000, 1100])],
    ['theirs', cellOf([250, 500, 750])],
  ]),
};
const cost: Row = { ...rate, measure: 'cost', better: 'lower' };

test('a median is the middle, or the mean of the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.ok(Number.isNaN(median([])));
});

test('a percentile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(quantile(values, 0.99), 100);
  assert.equal(quantile(values, 0.5), 51);
  assert.deepEqual(spreadOf([7]), { p50: 7, p99: 7, worst: 7 });
});

test('an advantage is above one for whoever is better, in both directions', () => {
  assert.equal(advantage(rate, 'theirs'), 2);
  assert.equal(advantage(cost, 'theirs'), 0.5);
  assert.equal(advantage(rate, 'ours'), undefined);
});

test('an aim is met or missed, and says what was reached', () => {
  const aim = { text: 'twice', row: rate, against: 'theirs' };
  assert.deepEqual(aimOfRatio({ ...aim, atLeast: 2 }), {
    aim: 'twice',
    reached: '2.00× theirs',
    isMet: true,
  });
  assert.equal(aimOfRatio({ ...aim, atLeast: 2.1 }).isMet, false);
  assert.equal(aimOfValue({ text: 'small', value: 81, unit: 'kB', atMost: 80 }).isMet, false);
});

test('numbers are cut to what they can say', () => {
  assert.deepEqual([0, 0.01234, 1.5, 99.95, 1234.5, Number.NaN].map(formatNumber), [
    '0',
    '0.0123',
    '1.5',
    '100',
    '1,235',
    '–',
  ]);
});

test('a table has a column per contender and the ratio beside the peer', () => {
  const text = formatResult({ name: 'x', title: 'Title', rows: [rate], aims: [] });
  assert.match(text, /Title\n +ours +theirs\n {2}runs, 1\/s {2}1,000 {2}500 \(2\.00×\)\n/);
});
