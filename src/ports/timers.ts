/** How does a loop wait? The only source of pauses, so that a test can move time on. */
export interface Timers {
  /** Resolves after the pause, or at once when the signal is or becomes aborted; never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}
