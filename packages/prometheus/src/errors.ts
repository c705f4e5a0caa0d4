import { HdrscopeError } from '@hdrscope/core';
import type { DeliveryHints } from '@hdrscope/kit/delivery';

/**
 * Codes of this entry's own errors:
 * - `ERR_REMOTE_WRITE`: a receiver of remote write could not be reached, or did not take all samples of a request.
 */
export type RemoteWriteErrorCode = 'ERR_REMOTE_WRITE';

/**
 * Codes of this entry's own errors:
 * - `ERR_SCRAPE`: a target could not be reached, or did not answer with metrics.
 */
export type ScrapeErrorCode = 'ERR_SCRAPE';

export function remoteWriteError(
  message: string,
  hints: DeliveryHints,
  cause?: unknown,
): HdrscopeError<RemoteWriteErrorCode> {
  const details = { ...hints };
  return new HdrscopeError('ERR_REMOTE_WRITE', message, { details, ...(cause !== undefined && { cause }) });
}
