import { keyOf } from '../question.ts';

// https://opentelemetry.io/docs/specs/semconv/http/http-metrics/, and the names that other libraries have for them.
const STATUS_KEYS = ['http.response.status_code', 'http.status_code', 'status_code', 'status', 'code'];
const ERROR_KEYS = [...STATUS_KEYS, 'error.type', 'outcome'];
const BAD_OUTCOMES = /^(error|fail(ed|ure)?|server_error|timeout|exception)$/i;

/** Whether series with such a key are kept apart by how requests ended. */
export function isErrorKey(key: string): boolean {
  return ERROR_KEYS.includes(key);
}

/** Whether a series counts errors: statuses of 500 and above, an `error.type`, or an `outcome` or `status` such as `error`. */
export function countsErrors(attributes: readonly string[]): boolean {
  return attributes.some((pair) => {
    const key = keyOf(pair);
    const value = pair.slice(key.length + 1);
    if (key === 'error.type') return value !== '';
    if (key === 'outcome') return BAD_OUTCOMES.test(value);
    return STATUS_KEYS.includes(key) && (/^5(\d\d|xx)$/i.test(value) || BAD_OUTCOMES.test(value));
  });
}
