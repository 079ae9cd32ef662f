/** What do the pages of the explorer load besides themselves? One script, one style sheet and an icon, named after what is in them. */

export interface PageFile {
  /** Of the URL; changes with the content. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
  readonly gzipped: Buffer;
}

export interface PageFiles {
  readonly script: PageFile;
  readonly style: PageFile;
  readonly icon: PageFile;
}

export interface PageSource {
  /** Made once, when the first page is asked for. Rejects where the pages can neither be found nor be made. */
  load(): Promise<PageFiles>;
}
