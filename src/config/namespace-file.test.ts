/** Tests of the namespace file: only known keys, each with its rule. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_NAMESPACE } from '../domain/identifiers/namespace.ts';
import { read } from '../../testing/fixtures/sample-environment.ts';

describe('the namespace file', () => {
  const readWords = (words: unknown) =>
    read({ NAMESPACE_FILE: 'names' }, { files: { names: typeof words === 'string' ? words : JSON.stringify(words) } });

  it('replaces only the words it contains', () => {
    const { config, problems } = readWords({ did_method: 'acme', message_header: 'acme ratings' });
    expect(problems).toEqual([]);
    expect(config.namespace).toEqual({ ...DEFAULT_NAMESPACE, did_method: 'acme', message_header: 'acme ratings' });
  });

  it('accepts the defaults', () => {
    expect(readWords(DEFAULT_NAMESPACE)).toMatchObject({ problems: [], config: { namespace: DEFAULT_NAMESPACE } });
  });

  it.each([
    ['did_method', ['Acme', 'a:b', '', 'a b', 5, null]],
    ['profile_object', ['name', 'schema_version', '__proto__', '1a', 'a.b']],
    ['registration_type', ['a b', 'a"b', 'a\nb', '', 'é']],
    ['card_description', ['a\nb', '', ' a', 'x'.repeat(129)]],
    ['well_known_path', ['/other', '/.well-known/', '/.well-known/a/b', '/.well-known/..', '/.well-known/:a']],
    ['message_header', ['a\nb', 'a ', '\ta']],
    ['leaf_crl_uri', ['ldap://x', 'http://', 'http://a b']],
  ])('enforces the rule of %s', (name, words) => {
    for (const word of words) {
      expect(readWords({ [name]: word }).problems).toEqual([
        expect.stringMatching(new RegExp(`^NAMESPACE_FILE: ${name} must be `)),
      ]);
    }
  });

  it.each([['[]'], ['null'], ['"x"'], ['{']])('rejects %s', (text) => {
    expect(readWords(text).problems).toEqual(['NAMESPACE_FILE: must be a JSON object']);
  });

  it('rejects unknown keys', () => {
    expect(readWords('{"did":"x","__proto__":"x","a key\\n":"x"}').problems).toEqual([
      'NAMESPACE_FILE: did is not a word of the namespace',
      'NAMESPACE_FILE: __proto__ is not a word of the namespace',
      'NAMESPACE_FILE: a key is not a word of the namespace',
    ]);
  });
});
