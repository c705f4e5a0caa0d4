/** Thrown when a request is answered with an HTTP error. */
export class HttpRefusal extends Error {
  /** Always `'HttpRefusal'`. */
  override readonly name = 'HttpRefusal';
  /** The status of the answer: an integer from 400 to 599. */
  readonly status: number;

  /** @param status The status of the answer: an integer from 400 to 599. */
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
