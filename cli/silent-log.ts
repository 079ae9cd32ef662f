/** Log that discards every message, for adapters whose failures a command reports itself. */
export const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
