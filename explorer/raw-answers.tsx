/** What did the service say, word for word? Every answer that the page is made of, and the line that asks for it. */
import type { Followed } from './answers.ts';
import { layOutJson } from './formats.ts';
import { CopyButton, Section } from './marks.tsx';

export function RawAnswers({ followed }: { readonly id: string; readonly followed: readonly Followed<unknown>[] }) {
  const parts = followed.flatMap(({ answer, refusal }) => {
    const part = answer ?? refusal;
    return part === undefined ? [] : [{ path: part.path, text: part.text }];
  });
  return (
    <Section title="Raw answers" note="Anyone can ask for these; no key and no account is needed.">
      {parts.map(({ path, text }) => {
        const line = `curl -s '${location.origin}${path}'`;
        const pattern = path.replace(/\d{10,}/, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`);
        return (
          <details key={path}>
            <summary>
              <code>GET {pattern}</code>
            </summary>
            <p class="buttons">
              <CopyButton text={text} label={`the answer of ${pattern}`} />
              <code class="line">{line}</code>
              <CopyButton text={line} label={`the command for ${pattern}`} />
            </p>
            <pre tabIndex={0}>{layOutJson(text)}</pre>
          </details>
        );
      })}
    </Section>
  );
}
