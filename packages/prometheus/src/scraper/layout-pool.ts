import { type ExponentialLayout, explicitLayout, exponentialLayout, type Layout } from '@hdrscope/core';

/** A target has a handful of explicit layouts, and a few hundred exponential ones. */
const MOST_LAYOUTS = 2000;

/** Layouts that scrapes of one target share: plans that move counts are made once for each layout. */
export class LayoutPool {
  readonly #layouts = new Map<string, Layout>();

  /** @param bounds Finite and ascending. */
  explicit(bounds: readonly number[]): Layout {
    return this.#share(bounds.join(), () => explicitLayout(bounds));
  }

  exponential(options: Parameters<typeof exponentialLayout>[0]): ExponentialLayout {
    const { scale, zeroThreshold, minIndex, maxIndex, negative } = options;
    const key = `${scale}:${zeroThreshold}:${minIndex}:${maxIndex}:${negative?.minIndex}:${negative?.maxIndex}`;
    return this.#share(key, () => exponentialLayout(options)) as ExponentialLayout;
  }

  #share(key: string, make: () => Layout): Layout {
    const known = this.#layouts.get(key);
    if (known !== undefined) return known;
    const layout = make();
    // All at once: exponential layouts change while a histogram grows, and the old ones do not come back.
    if (this.#layouts.size >= MOST_LAYOUTS) this.#layouts.clear();
    this.#layouts.set(key, layout);
    return layout;
  }
}
