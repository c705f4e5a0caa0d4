import { caseCount } from '@hdrscope/testing/case-count';
import { Histogram } from '../../src/histogram/histogram.ts';
import { CaseMaker, type FuzzCase, KINDS } from '../support/fuzz-cases.ts';
import { fuzz } from '../support/fuzz-run.ts';
import { assertConsistent, assertReadAgain, readOrRefused } from '../support/hostile.ts';

function isDecoded({ kind, input }: FuzzCase): boolean {
  const histogram = readOrRefused(() =>
    kind === 'json'
      ? Histogram.fromJSON(input, { storage: 'sparse' })
      : Histogram.decode(input as Uint8Array | string, { storage: 'sparse' }),
  );
  if (histogram === undefined) return false;
  assertConsistent(histogram);
  // To encode all of them again would take most of the time; a quarter is enough.
  if (histogram.totalCount % 4 === 0) assertReadAgain(histogram);
  return true;
}

test('any bytes become a consistent histogram or are refused, soon and in bounded memory', () => {
  const casesOf = (seed: number) => {
    const maker = new CaseMaker(seed);
    return (index: number) => maker.next(index);
  };
  fuzz({ cases: caseCount(10_000, 100_000), casesOf, isDecoded, kinds: KINDS, hopeless: ['bomb'] });
}, 3_600_000);
