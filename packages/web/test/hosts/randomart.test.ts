/*
 * The picture of a fingerprint is the one that ssh-keygen draws.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawFingerprint } from '../../src/hosts/randomart.ts';

/* From `ssh-keygen -lv`, without the kind of the key, which a fingerprint does not tell. */
const drawn: readonly (readonly [fingerprint: string, lines: readonly string[]])[] = [
  [
    'SHA256:P9SFAi42nkTZ57mY4LMaT+VEMqRzDyUe9J4U9JkEe7g',
    [
      '|     .*+*..      |',
      '|     =.*.B.o .   |',
      '|    o @ Bo*.. .  |',
      '|     *.% +oo .   |',
      '|     .o.Eo...    |',
      '|      o+oo.      |',
      '|    . .o. o      |',
      '|     +.    .     |',
      '|    ...          |',
    ],
  ],
  [
    'SHA256:EsX81xoUN2/3A9xI+caNzzwyiei3tgW8/J9pO9PqLis',
    [
      '|       o.   .o+  |',
      '|       .o   +ooo |',
      '|      .  . . =oo=|',
      '|       .  o o +=+|',
      '|      . S .+.oo=.|',
      '|       . ...++ .=|',
      '|        .  o .o o|',
      '|         .Eo+  ++|',
      '|          o++***+|',
    ],
  ],
  [
    'SHA256:Cfh+6vmyGBPS4ZYqDuFBz2pdkVhSA23qSkOjSm63oFI',
    [
      '|   o++           |',
      '|    ++o          |',
      '| . .=o.          |',
      '|.oo+ +.. .       |',
      '|+.+o*.. S        |',
      '|o=E=.o           |',
      '|B*+.o . .        |',
      '|B=.. +.+         |',
      '|+...o.=+.        |',
    ],
  ],
];

test('as ssh-keygen draws it', () => {
  for (const [fingerprint, lines] of drawn) {
    const picture = drawFingerprint(fingerprint)?.split('\n');
    assert.deepEqual(picture?.slice(1, -1), lines, fingerprint);
  }
});

test('what is no such fingerprint has no picture', () => {
  assert.equal(drawFingerprint('MD5:aa:bb'), undefined);
  assert.equal(drawFingerprint('SHA256:short'), undefined);
});
