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

test('tests that cannot run differ unless they are expected to lack a module, and so do expected ones that run', () => {
  const outcome = { passed: 1, failed: new Map(), without: ['known.test.js', 'new.test.js'] };
  expect(differences(outcome, {}, { 'known.test.js': 'its reason', 'back.test.js': 'its reason' })).toEqual([
    'lacks a module: new.test.js',
    'is expected to lack a module, and runs or is gone: back.test.js',
  ]);
});
