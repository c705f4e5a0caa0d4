import { readReport } from '../browser/report.ts';

// As hdrscope diff --markdown writes it, with a name that Markdown would obey.
const REPORT = `### ✅ These two runs differ. Slower: p99.9 +598.2 %.

a\\_b.hlog (60,000 values) and after.hlog (60,000 values), in ms

|  | before | 99 % interval | verdict |
|--:|--:|--:|---|
| p50 | 8.028 | -1.1 to +1.5 % | no difference shown |
| a\\|b | 28.836 | +465.8 to +719.2 % | slower in this run |

- No difference shown: p50.
- All intervals together contain the true changes with 99 %.

<details><summary>more</summary>

| part |
|---|
| 1 |

</details>
`;

test('reads headings, sentences, tables and lists of a report', () => {
  expect(readReport(REPORT)).toEqual([
    { kind: 'result', text: '✅ These two runs differ. Slower: p99.9 +598.2 %.' },
    { kind: 'text', text: 'a_b.hlog (60,000 values) and after.hlog (60,000 values), in ms' },
    {
      kind: 'table',
      titles: ['', 'before', '99 % interval', 'verdict'],
      rows: [
        ['p50', '8.028', '-1.1 to +1.5 %', 'no difference shown'],
        ['a|b', '28.836', '+465.8 to +719.2 %', 'slower in this run'],
      ],
    },
    {
      kind: 'list',
      items: ['No difference shown: p50.', 'All intervals together contain the true changes with 99 %.'],
    },
    { kind: 'text', text: 'more' },
    { kind: 'table', titles: ['part'], rows: [['1']] },
  ]);
});

test('an empty report has no parts', () => {
  expect(readReport('\n')).toEqual([]);
});
