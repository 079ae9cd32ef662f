/** Addresses of the block explorers of both chains (`MAIN_EXPLORER_URL`, `ALT_EXPLORER_URL`). */
export interface BlockExplorers {
  readonly main: string | undefined;
  readonly alt: string | undefined;
}
