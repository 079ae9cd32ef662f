/** Request as code, in the language that the reader has chosen last. */
import { useState } from 'preact/hooks';
import { CopyButton } from '../parts/components.tsx';
import type { CurlRequest } from './api-document.ts';
import { formatSample, SAMPLE_LANGUAGES, type SampleLanguage } from './request-samples.ts';

let lastLanguage: SampleLanguage = 'curl';

export function SampleView({ request, id }: { readonly request: CurlRequest; readonly id: string }) {
  const [language, setLanguage] = useState(lastLanguage);
  const text = formatSample(language, request);
  const choose = (chosen: SampleLanguage) => {
    lastLanguage = chosen;
    setLanguage(chosen);
  };
  return (
    <div class="sample">
      <p class="buttons" role="group" aria-label="Language of the request">
        {SAMPLE_LANGUAGES.map((name) => (
          <button key={name} type="button" class="second" aria-pressed={name === language} onClick={() => choose(name)}>
            {name}
          </button>
        ))}
        <CopyButton text={text} label={`the request of ${id}`} />
      </p>
      <pre tabIndex={0} aria-label={`Request in ${language}`}>
        <code class="line">{text}</code>
      </pre>
    </div>
  );
}
