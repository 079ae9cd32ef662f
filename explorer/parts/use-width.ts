/** Width of an element, followed while it changes, so that a chart is drawn for the room that it has. */
import { useEffect, useState } from 'preact/hooks';

const WIDTH_UNTIL_MEASURED = 720;
const LEAST_WIDTH = 200;

/** Returns the width in whole pixels. */
export function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(WIDTH_UNTIL_MEASURED);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(LEAST_WIDTH, Math.floor(entry.contentRect.width)));
    });
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return width;
}
