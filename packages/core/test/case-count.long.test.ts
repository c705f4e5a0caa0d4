import { caseCount } from '@hdrscope/testing/case-count';

test('laws have many cases in npm run test:long', () => {
  expect(caseCount(1, 1000)).toBeGreaterThan(100);
});
