/** API reference: every route of the OpenAPI document, each with a form to call it. */
import { useEffect, useState } from 'preact/hooks';
import { useQuery } from '../parts/queries.ts';
import { listGroups, type ApiDocument, type Operation, type OperationError } from './api-document.ts';
import { FailureNotice, Section, Skeleton } from '../parts/components.tsx';
import { SchemaView } from './schema-view.tsx';
import { RequestForm } from './request-form.tsx';
import { SITE_NAME } from '../parts/texts.ts';

export function ReferencePage() {
  const query = useQuery<ApiDocument>('/openapi.json');
  useEffect(() => {
    document.title = `API reference | ${SITE_NAME}`;
  }, []);
  return (
    <>
      <div class="reference-head">
        <h1>API reference</h1>
        <p class="lead">All routes of this deployment. Open a route to see its responses and errors, and to call it.</p>
        <ul class="rules">
          <li>Ids are strings. A JSON number would be rounded and name another machine.</li>
          <li>404 is definitive. 503 means unknown: retry later.</li>
          <li>
            Responses name the block they were computed at in chain-block, and its age in seconds in chain-block-age.
          </li>
          <li>Reads need no key. The limit is 90 requests a minute for each path and address.</li>
        </ul>
        <p class="note">
          For programs: <a href="/openapi.json">OpenAPI 3.1 document</a>.
        </p>
      </div>
      {query.response === undefined ? (
        query.failure === undefined ? (
          <Skeleton lines={12} />
        ) : (
          <FailureNotice query={query} subject="API description" />
        )
      ) : (
        <Routes document={query.response.body} />
      )}
    </>
  );
}

function Routes({ document: api }: { readonly document: ApiDocument }) {
  const [open, setOpen] = useState(() => new Set([location.hash.slice(1)]));

  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1);
      setOpen((before) => new Set([...before, id]));
      if (id !== '') document.getElementById(id)?.scrollIntoView();
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  const toggle = (id: string, isOpen: boolean) => {
    if (isOpen === open.has(id)) return;
    if (isOpen) history.replaceState(null, '', `#${id}`);
    setOpen(new Set(isOpen ? [...open, id] : [...open].filter((each) => each !== id)));
  };

  return listGroups(api).map(([group, operations]) => (
    <Section key={group} title={group}>
      {operations.map((operation) => (
        <details
          key={operation.id}
          id={operation.id}
          class="operation"
          open={open.has(operation.id)}
          onToggle={({ currentTarget }) => toggle(operation.id, currentTarget.open)}
        >
          <summary>
            <span class="method">{operation.method}</span> <code>{operation.path}</code>{' '}
            <span class="quiet">{operation.summary}</span>
          </summary>
          {open.has(operation.id) && <OperationView document={api} operation={operation} />}
        </details>
      ))}
    </Section>
  ));
}

function OperationView({
  document: api,
  operation,
}: {
  readonly document: ApiDocument;
  readonly operation: Operation;
}) {
  const { body, responses, errors } = operation;
  return (
    <div class="operation-body">
      <h3>Try it</h3>
      <RequestForm document={api} operation={operation} />
      {body !== undefined && (
        <>
          <h3>Request body</h3>
          <SchemaView document={api} schema={body} />
        </>
      )}
      {responses.map(({ status, mediaType, schema }) => (
        <div key={status}>
          <h3>
            Response {status} <span class="quiet">{mediaType}</span>
          </h3>
          <SchemaView document={api} schema={schema} />
        </div>
      ))}
      <h3>Errors</h3>
      <Errors errors={errors} />
    </div>
  );
}

function Errors({ errors }: { readonly errors: readonly OperationError[] }) {
  return (
    <dl class="errors">
      {errors.map(({ status, texts, help }) => (
        <div key={status}>
          <dt>
            {status}{' '}
            {texts.map((text) => (
              <code key={text}>{text}</code>
            ))}
          </dt>
          {help.map(({ cause, remedy }) => (
            <dd key={cause}>
              <InlineCode text={cause} />{' '}
              <span class="quiet">
                <InlineCode text={remedy} />
              </span>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

/** Renders text between backticks as code. */
function InlineCode({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
