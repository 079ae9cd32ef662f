/** What does this process know of itself that callers of `/ready` should know? Left out of `Ctx`: nothing. */
export interface ProcessStanding {
  /** It was told to end: it answers what it is asked, and nothing new should be sent here. */
  readonly isStopping: () => boolean;
  /** Whether requests are counted by all replicas together now; undefined: each counts alone, as configured. */
  readonly countsTogether: () => boolean | undefined;
}
