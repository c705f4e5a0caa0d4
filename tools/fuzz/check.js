/**
 * A result of a target that contradicts itself.
 *
 * @param {boolean} holds
 * @param {() => string} message
 */
export function assertThat(holds, message) {
  if (!holds) throw new Error(`contradiction: ${message()}`);
}
