/** LRU cache of rendered images, bounded in bytes. */

export class ImageCache {
  readonly #maxBytes: number;
  /** In order of use, least recently used first. */
  readonly #images = new Map<string, Buffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Buffer | undefined {
    const image = this.#images.get(key);
    if (image === undefined) return undefined;
    this.#images.delete(key);
    this.#images.set(key, image);
    return image;
  }

  /** Stores an image and evicts others until the cache fits; an image larger than the cache is not retained. */
  set(key: string, image: Buffer): void {
    this.#delete(key);
    this.#images.set(key, image);
    this.#bytes += image.byteLength;
    for (const oldest of this.#images.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#images.get(key)?.byteLength ?? 0;
    this.#images.delete(key);
  }
}
