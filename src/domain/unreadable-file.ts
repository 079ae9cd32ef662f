/** Why a file of the configuration cannot be read, and what to do. Names neither its path nor its content. */

const REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'the user of the service may not read it; grant that to the group of the service, for its folder too',
  EISDIR: 'it is a folder',
};

/** Returns the end of a problem, such as `cannot be read: it does not exist`. */
export function explainUnreadableFile(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  const remedy = code === undefined ? undefined : (REMEDIES[code] ?? code);
  return remedy === undefined ? 'cannot be read' : `cannot be read: ${remedy}`;
}
