/** How long the agent waits before it starts a failed entry again: twice as long each time. */
export interface RetryOptions {
  /** The first wait in milliseconds, above 0. @default 1000 */
  readonly firstMs?: number;
  /** The longest wait in milliseconds. @default 60_000 */
  readonly longestMs?: number;
}
