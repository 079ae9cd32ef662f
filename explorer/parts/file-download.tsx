/** Button that loads a file, shows the progress, and saves it. */
import { useState } from 'preact/hooks';
import { saveFile } from './downloads.ts';

interface FileDownloadProps {
  /** Text of the button. */
  readonly label?: string;
  /** Name of the saved file. */
  readonly file: string;
  readonly type?: string;
  /** What could not be loaded, in the message of a failure. */
  readonly subject: string;
  /** Returns undefined where the file could not be loaded completely; throws an error whose message says why. */
  readonly load: (report: (progress: string) => void) => Promise<string | undefined>;
}

export function FileDownload({ label = 'Download CSV', file, type = 'text/csv', subject, load }: FileDownloadProps) {
  const [state, setState] = useState('');
  const download = async () => {
    try {
      const text = await load(setState);
      setState(text === undefined ? `The ${subject} could not be loaded completely. Try again.` : '');
      if (text !== undefined) saveFile(file, type, text);
    } catch (error) {
      setState((error as Error).message);
    }
  };
  return (
    <>
      <button type="button" class="second" onClick={() => void download()}>
        {label}
      </button>
      <span role="status" class="note">
        {state}
      </span>
    </>
  );
}
