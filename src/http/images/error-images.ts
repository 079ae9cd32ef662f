/**
 * Images of errors: what an image route sends where other routes send JSON, because an embedded image must not break. Errors that only a
 * program can cause stay JSON.
 */

/** State of a machine whose rating cannot be read. */
export const UNAVAILABLE = 'unavailable now';

/** SVG texts. */
export interface ErrorImages {
  readonly limited: string;
  readonly unavailable: string;
}

/** Renders the images of a route. `format` returns the image of a state. */
export function createErrorImages(format: (state: string) => string): ErrorImages {
  return { limited: format('rate limit exceeded'), unavailable: format(UNAVAILABLE) };
}

/** Returns whether an image route sends errors of this status as images. */
export function isErrorImage(status: number): boolean {
  return status === 429 || status >= 500;
}

/** Returns the image for an error; undefined where the error stays JSON. */
export function findErrorImage(status: number, { limited, unavailable }: ErrorImages): string | undefined {
  if (!isErrorImage(status)) return undefined;
  return status === 429 ? limited : unavailable;
}
