import { caseCount } from '@hdrscope/testing/case-count';
import { HdrscopeError } from '../../src/errors.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { toHex } from '../support/bytes.ts';
import { DOUBLE_KINDS, DoubleCaseMaker, type DoubleFuzzCase } from '../support/double-fuzz-cases.ts';
import { fuzz } from '../support/fuzz-run.ts';
import { assertConsistent, assertThat, readOrRefused } from '../support/hostile.ts';

/** Throws unless the encoding of a histogram is read as an equal one, which then records or refuses a value. */
function assertOfUse(histogram: DoubleHistogram, other: number): void {
  const encoding = histogram.encode();
  const again = DoubleHistogram.decode(encoding, { storage: 'sparse' });
  assertThat(again.equals(histogram), 'what is encoded must be read as it was');
  assertThat(toHex(again.encode()) === toHex(encoding), 'what was read must be encoded as it was');
  for (const value of [0, again.valueAtPercentile(50), other]) {
    const before = again.totalCount;
    try {
      again.record(value);
      assertThat(again.totalCount === before + 1, 'what is recorded must be counted');
    } catch (error) {
      if (!(error instanceof HdrscopeError)) throw error;
      assertThat(again.totalCount === before, 'what is refused must not be counted');
    }
  }
  assertConsistent(again);
}

function isDecoded({ input }: DoubleFuzzCase): boolean {
  const histogram = readOrRefused(() => DoubleHistogram.decode(input, { storage: 'sparse' }));
  if (histogram === undefined) return false;
  assertConsistent(histogram);
  assertOfUse(histogram, 2 ** ((histogram.totalCount % 200) - 100));
  return true;
}

test('any bytes become a consistent histogram of doubles or are refused, soon and in bounded memory', () => {
  const casesOf = (seed: number) => {
    const maker = new DoubleCaseMaker(seed);
    return () => maker.next();
  };
  fuzz({ cases: caseCount(4000, 20_000), casesOf, isDecoded, kinds: DOUBLE_KINDS, hopeless: ['integers'] });
}, 3_600_000);
