/** What can be asked, and how? Every route as the service describes it, each with a form that asks it. */
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from './answers.ts';
import { listGroups, type ApiDocument, type Operation, type OperationError } from './api-document.ts';
import { RefusalNotice, Section, Skeleton } from './marks.tsx';
import { SchemaView } from './schema-view.tsx';
import { TrialForm } from './trial-form.tsx';
import { SITE_NAME } from './words.ts';

export function ReferencePage() {
  const described = useAnswer<ApiDocument>('/openapi.json');
  useEffect(() => {
    document.title = `API reference | ${SITE_NAME}`;
  }, []);
  return (
    <>
      <div class="reference-head">
        <h1>API reference</h1>
        <p class="lead">Every route of this deployment. Open one to see what it answers, and to ask it here.</p>
        <ul class="rules">
          <li>Ids are text. A JSON number would round them, and a rounded id is another machine.</li>
          <li>
            404 is an answer: there is none. 503 is no answer: it says nothing of the machine, so ask again later.
          </li>
          <li>
            Every answer that stands on a chain names its block in chain-block, and the age of that in chain-block-age.
          </li>
          <li>Reads need no key, and are limited to 90 a minute for each path and address.</li>
        </ul>
        <p class="note">
          For programs: <a href="/openapi.json">the same as OpenAPI 3.1</a>.
        </p>
      </div>
      {described.answer === undefined ? (
        described.refusal === undefined ? (
          <Skeleton lines={12} />
        ) : (
          <RefusalNotice followed={described} subject="document" />
        )
      ) : (
        <Routes document={described.answer.body} />
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
  const { body, answers, errors } = operation;
  return (
    <div class="operation-body">
      <h3>Try it</h3>
      <TrialForm document={api} operation={operation} />
      {body !== undefined && (
        <>
          <h3>Members of the body</h3>
          <SchemaView document={api} schema={body} />
        </>
      )}
      {answers.map(({ status, mediaType, schema }) => (
        <div key={status}>
          <h3>
            Answer {status} <span class="quiet">{mediaType}</span>
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
      {errors.map(({ status, texts, words }) => (
        <div key={status}>
          <dt>
            {status}{' '}
            {texts.map((text) => (
              <code key={text}>{text}</code>
            ))}
          </dt>
          {words.map(({ cause, remedy }) => (
            <dd key={cause}>
              <Words text={cause} />{' '}
              <span class="quiet">
                <Words text={remedy} />
              </span>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

/** What stands between backticks is to be typed or compared as it is. */
function Words({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
