/** Findings that are known and not mended yet. A run reports how many it has seen, and fails for others only. */

/** @type {readonly { target: string, message: RegExp, reason: string }[]} */
const KNOWN = [];

/**
 * @param {string} target
 * @param {string} message
 * @returns {string | undefined} The reason why it is not mended, when it is known.
 */
export function knownReason(target, message) {
  return KNOWN.find((known) => known.target === target && known.message.test(message))?.reason;
}
