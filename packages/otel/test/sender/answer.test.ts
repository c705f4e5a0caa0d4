import { messageInJson, partialSuccessIn, partialSuccessInJson, statusIn } from '../../src/sender/answer.ts';

test('a partial success has a count and a message that can be shown', () => {
  const bytes = Buffer.from('0a0b0803120761626364651b66', 'hex');
  expect(partialSuccessIn(bytes)).toEqual({ rejectedPoints: 3, message: 'abcde\\x1bf' });
  const partialSuccess = { rejectedDataPoints: '3', errorMessage: 'abc' };
  expect(partialSuccessInJson(JSON.stringify({ partialSuccess }))).toEqual({
    rejectedPoints: 3,
    message: 'abc',
  });
});

test('an answer that cannot be read says nothing', () => {
  for (const text of ['', 'ff', '0aff', '0a03080']) {
    expect(partialSuccessIn(Buffer.from(text, 'hex'))).toBeUndefined();
  }
  for (const text of ['', 'null', '{}', '[', '{"partialSuccess":null}']) {
    expect(partialSuccessInJson(text)).toBeUndefined();
  }
  expect(statusIn(Buffer.from('1a05', 'hex'))).toEqual({ message: '', retryAfterMs: undefined });
});

test('a status has the delay of its RetryInfo', () => {
  const type = Buffer.from('type.googleapis.com/google.rpc.RetryInfo');
  const delay = Buffer.from('0a06080210c0843d', 'hex'); // 2 s and 1,000,000 ns
  const any = Buffer.concat([
    Buffer.from([0x0a, type.length]),
    type,
    Buffer.from([0x12, delay.length]),
    delay,
  ]);
  const status = Buffer.concat([
    Buffer.from('0808120462757379', 'hex'),
    Buffer.from([0x1a, any.length]),
    any,
  ]);
  expect(statusIn(status)).toEqual({ message: 'busy', retryAfterMs: 2001 });
});

test.each([
  ['{"code":3,"message":"no"}', 'no'],
  ['{"code":3}', '{"code":3}'],
  ['null', 'null'],
  ['{', '{'],
])('the message of the status %p is %p', (text, message) => {
  expect(messageInJson(text)).toBe(message);
});
