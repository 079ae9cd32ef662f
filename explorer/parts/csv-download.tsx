/** Button that loads a whole list as CSV, shows the progress, and saves it. */
import { useState } from 'preact/hooks';
import { saveFile } from './downloads.ts';

interface CsvDownloadProps {
  /** Name of the saved file. */
  readonly file: string;
  /** What could not be loaded, in the message of a failure. */
  readonly subject: string;
  /** Returns undefined where the list could not be loaded completely. */
  readonly load: (report: (progress: string) => void) => Promise<string | undefined>;
}

export function CsvDownload({ file, subject, load }: CsvDownloadProps) {
  const [state, setState] = useState('');
  const download = async () => {
    const text = await load(setState);
    setState(text === undefined ? `The ${subject} could not be loaded completely. Try again.` : '');
    if (text !== undefined) saveFile(file, 'text/csv', text);
  };
  return (
    <>
      <button type="button" class="second" onClick={() => void download()}>
        Download CSV
      </button>
      <span role="status" class="note">
        {state}
      </span>
    </>
  );
}
