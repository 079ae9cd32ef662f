/** Who draws an SVG text as a PNG? Implemented by `adapters/pictures`. */

export interface PictureMaker {
  /** Changes with whatever else than the text changes the bytes. */
  readonly version: string;
  /**
   * The PNG in the size that the text names. The same text is drawn once and kept for a while. Undefined: nobody waited any more when its
   * turn came. Rejects where the text is no SVG, or nothing can be drawn.
   */
  draw(svg: string, isAwaited: () => boolean): Promise<Buffer | undefined>;
}
