import { HdrscopeError } from '@hdrscope/core';

/** The code that this package adds to those of core and of the registry. */
export type AdminSocketErrorCode = 'ERR_ADMIN_SOCKET';

/** The details of an error with the code `ERR_ADMIN_SOCKET`. */
export interface AdminSocketErrorDetails {
  /** The path of the socket; absent when a program was asked. */
  readonly socket?: string;
  /** The path of the program that was asked, such as `ceph`; absent when a socket was. */
  readonly program?: string;
  /** The command that was sent; absent when the socket could not be served. */
  readonly command?: string;
  /** The number of the error, from the daemon or from the system, positive: 22 is `EINVAL`. Absent when neither gave one. */
  readonly errno?: number;
}

/** Builds the error for a socket that cannot be served, or does not answer, or whose daemon refuses a command. */
export function adminSocketError(
  message: string,
  details: AdminSocketErrorDetails,
  cause?: unknown,
): HdrscopeError<AdminSocketErrorCode> {
  return new HdrscopeError('ERR_ADMIN_SOCKET', message, {
    details: { ...details },
    ...(cause !== undefined && { cause }),
  });
}

/** The number of an error of the system, as a detail. */
export function errnoOf({ errno }: NodeJS.ErrnoException): Pick<AdminSocketErrorDetails, 'errno'> {
  return errno === undefined ? {} : { errno: Math.abs(errno) };
}
