/**
 * Members of a JSON schema as a nested list. Named schemas are expanded where they are used; a recursive schema only
 * once.
 */
import { nameType, resolve, type ApiDocument, type Schema } from './api-document.ts';

export interface SchemaViewProps {
  readonly document: ApiDocument;
  readonly schema: Schema;
  /** References of the enclosing schemas. */
  readonly within?: readonly string[];
}

export function SchemaView({ document, schema, within = [] }: SchemaViewProps) {
  const name = schema.$ref;
  if (name !== undefined && within.includes(name)) return null;
  const inner = { document, within: name === undefined ? within : [...within, name] };
  const { properties, required = [], items, anyOf, oneOf } = resolve(document, schema);
  if (items !== undefined) return <SchemaView {...inner} schema={items} />;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    return (
      <ol class="alternatives">
        {alternatives.map((alternative, at) => (
          <li key={at}>
            <Line document={document} schema={alternative} />
            <SchemaView {...inner} schema={alternative} />
          </li>
        ))}
      </ol>
    );
  }
  if (properties === undefined) return null;
  return (
    <ul class="members">
      {Object.entries(properties).map(([member, of]) => (
        <li key={member}>
          <code class="member">{member}</code> <Line document={document} schema={of} />
          {!required.includes(member) && <span class="quiet"> (optional)</span>}
          <SchemaView {...inner} schema={of} />
        </li>
      ))}
    </ul>
  );
}

function Line({ document, schema }: Pick<SchemaViewProps, 'document' | 'schema'>) {
  const whole = resolve(document, schema);
  const type = nameType(whole.items === undefined ? whole : { ...whole, items: resolve(document, whole.items) });
  return (
    <>
      <span class="type">{type}</span>
      {whole.description !== undefined && <span class="quiet"> {whole.description}</span>}
    </>
  );
}
