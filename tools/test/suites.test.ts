import { differences } from '../peers/suites/run-suite.js';

test('a failure that nobody expects differs, and so does an expected one that does not happen', () => {
  const failed = new Map([
    ['known', 'x'],
    ['new', 'must be 1, is 2'],
  ]);
  const expected = { known: 'its reason', mended: 'its reason' };
  expect(differences({ passed: 1, failed }, expected)).toEqual([
    'fails: new\n    must be 1, is 2',
    'is expected to fail, and passes or is gone: mended',
  ]);
  expect(differences({ passed: 1, failed: new Map([['known', 'x']]) }, { known: 'its reason' })).toEqual([]);
});
