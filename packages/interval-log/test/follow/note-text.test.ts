import { followNoteText } from '@hdrscope/interval-log/internal';

test.each([
  [{ kind: 'missing' }, 'x.hlog does not exist yet: waiting for it'],
  [{ kind: 'truncated' }, 'x.hlog was truncated: reading it from its start'],
  [
    { kind: 'lost', reason: 'truncated' },
    'x.hlog was truncated, and no rotated file has the lines before: some may be lost',
  ],
  [
    { kind: 'lost', reason: 'replaced' },
    'x.hlog was replaced more often than it was read: some lines may be lost',
  ],
  [
    { kind: 'lost', reason: 'unreadable' },
    'x.hlog has a rotated file that is cut short or broken: some lines may be lost',
  ],
  [{ kind: 'lost' }, 'x.hlog may have lost some lines'],
  [{ kind: 'interval' }, undefined],
  [{ kind: 'caught-up' }, undefined],
])('of %j it says: %s', (entry, text) => {
  expect(followNoteText(entry, 'x.hlog')).toBe(text);
});
