/** Which drawn pictures are kept? Those asked for last, as many as the memory for them holds. */

export class ImageCache {
  readonly #mostBytes: number;
  /** Longest unused first. */
  readonly #pictures = new Map<string, Buffer>();
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: string): Buffer | undefined {
    const picture = this.#pictures.get(key);
    if (picture === undefined) return undefined;
    this.#pictures.delete(key);
    this.#pictures.set(key, picture);
    return picture;
  }

  add(key: string, picture: Buffer): void {
    this.#forget(key);
    this.#pictures.set(key, picture);
    this.#bytes += picture.byteLength;
    for (const oldest of this.#pictures.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#pictures.get(key)?.byteLength ?? 0;
    this.#pictures.delete(key);
  }
}
