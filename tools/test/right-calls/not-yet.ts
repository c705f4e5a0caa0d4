/**
 * Arguments and options whose wrong values are not all refused by an error that names them, by function. An entry that is no longer true
 * fails the test.
 */
export const NOT_YET: Readonly<Record<string, readonly string[]>> = {
  'prometheus.sendRemoteWrite': ['observer.failed', 'observer.succeeded'],
};
