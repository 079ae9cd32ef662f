/** Raw data section: every response shown on the page, with the curl command that requests it. */
import type { Query } from '../parts/queries.ts';
import { prettyPrintJson, shorten } from '../parts/formats.ts';
import { CopyButton, Section, Skeleton } from '../parts/components.tsx';
import { FileDownload } from '../parts/file-download.tsx';
import { machineDid } from '../parts/namespace.ts';
import { requestJson } from '../parts/queries.ts';
import { describeFailure, RETRIES } from '../parts/texts.ts';
import { NO_SIGNED_RATINGS, SIGNED_RATING } from './texts.ts';

/** Saves the signed rating, which proves itself without the service. */
export function SignedRating({ id }: { readonly id: string }) {
  const load = async () => {
    const { response, failure } = await requestJson(`/mcr/${machineDid(id)}/statement`);
    if (failure === undefined) return response.text;
    const { status, code, detail, homeChain } = failure;
    const { title, remedy } = describeFailure(status, code, detail, homeChain, 'signed rating');
    throw new Error(status === 404 ? NO_SIGNED_RATINGS : `${title}. ${remedy.replace(RETRIES, '')}`);
  };
  return (
    <Section title="Signed rating" note={SIGNED_RATING}>
      <p class="buttons">
        <FileDownload
          label="Save signed rating"
          file={`rating-${shorten(id, 4)}.json`}
          type="application/json"
          subject="signed rating"
          load={load}
        />
      </p>
      <p class="note">
        Check it with <code>svc statement verify FILE --signer KEY</code>; the keys are at{' '}
        <a href="/.well-known/svc-statements">/.well-known/svc-statements</a>.
      </p>
    </Section>
  );
}

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
