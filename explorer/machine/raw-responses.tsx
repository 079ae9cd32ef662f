/** Raw data section: every response shown on the page, with the curl command that requests it. */
import type { Query } from '../parts/queries.ts';
import { prettyPrintJson } from '../parts/formats.ts';
import { CopyButton, Section, Skeleton } from '../parts/components.tsx';

export function RawResponses({ queries }: { readonly queries: readonly Query<unknown>[] }) {
  const parts = queries.flatMap(({ response, failure }) => {
    const part = response ?? failure;
    return part === undefined ? [] : [{ path: part.path, text: part.text }];
  });
  return (
    <Section title="Raw data" note="Public API responses. No key or account is needed.">
      {parts.length < queries.length && <Skeleton lines={queries.length} />}
      {(parts.length < queries.length ? [] : parts).map(({ path, text }) => {
        const line = `curl -s '${location.origin}${path}'`;
        const pattern = path.replace(/\d{10,}/, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`);
        return (
          <details key={path}>
            <summary>
              <code>GET {pattern}</code>
            </summary>
            <p class="buttons">
              <CopyButton text={text} label={`the response of ${pattern}`} />
              <code class="line">{line}</code>
              <CopyButton text={line} label={`the command for ${pattern}`} />
            </p>
            <pre tabIndex={0}>{prettyPrintJson(text)}</pre>
          </details>
        );
      })}
    </Section>
  );
}
