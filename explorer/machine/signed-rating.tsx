/** Signed rating section: saves the rating as a statement that proves itself without the service. */
import { Section } from '../parts/components.tsx';
import { FileDownload } from '../parts/file-download.tsx';
import { shorten } from '../parts/formats.ts';
import { machineDid, namespace } from '../parts/namespace.ts';
import { requestJson } from '../parts/queries.ts';
import { describeFailure, RETRIES } from '../parts/texts.ts';
import { NO_SIGNED_RATINGS, SIGNED_RATING } from './texts.ts';

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
        <a href={namespace.statements_path}>{namespace.statements_path}</a>.
      </p>
    </Section>
  );
}
