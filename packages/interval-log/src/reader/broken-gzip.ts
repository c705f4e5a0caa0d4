import { HdrscopeError } from '@hdrscope/core';

/** The error of a gzip stream that ends early or has wrong bytes. */
export function brokenGzip(cause: Error): HdrscopeError {
  return new HdrscopeError('ERR_LOG_FORMAT', `the gzip stream is cut short or broken: ${cause.message}`, {
    cause,
  });
}
