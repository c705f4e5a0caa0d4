/** Codes of what interval logs refuse, besides those of core. */
export type LogErrorCode = 'ERR_LOG_FORMAT' | 'ERR_LOG_TIME' | 'ERR_LOG_WRITE';
