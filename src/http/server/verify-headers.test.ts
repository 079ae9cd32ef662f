import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { rule } from '../../../test/conformance/rule.ts';
import { acceptsJson, createBearerTokenCheck, declaresPlainJson } from './verify-headers.ts';

const TOKEN = 'onboarding-token-0123456789';
const LONGEST = 'x'.repeat(512);

const toToken = (text: string) => ({ sha256: createHash('sha256').update(text).digest('hex') });

describe('the bearer token check', () => {
  const admits = createBearerTokenCheck([TOKEN, LONGEST].map(toToken));

  it.each<[name: string, headers: string[]]>([
    ['the token', ['Authorization', `Bearer ${TOKEN}`]],
    ['the other token of a rotation, of the greatest length', ['Authorization', `Bearer ${LONGEST}`]],
    ['the header in any letter case, among others', ['Accept', '*/*', 'aUTHORIZATION', `Bearer ${TOKEN}`]],
  ])('admits %s', (_name, headers) => {
    expect(admits(headers)).toBe(true);
  });

  it.each<[name: string, headers: string[]]>([
    ['no header', ['Accept', 'application/json']],
    ['an empty value', ['Authorization', '']],
    ['no token', ['Authorization', 'Bearer']],
    ['an empty token', ['Authorization', 'Bearer ']],
    ['another token of the same length', ['Authorization', `Bearer ${TOKEN.slice(0, -1)}X`]],
    ['the beginning of the token', ['Authorization', `Bearer ${TOKEN.slice(0, -1)}`]],
    ['the token and more', ['Authorization', `Bearer ${TOKEN}0`]],
    ['a token of 513 characters', ['Authorization', `Bearer ${LONGEST}x`]],
    ['another scheme', ['Authorization', `Basic ${TOKEN}`]],
    ['another spelling of the scheme', ['Authorization', `bearer ${TOKEN}`]],
    ['two blanks', ['Authorization', `Bearer  ${TOKEN}`]],
    ['a tab', ['Authorization', `Bearer\t${TOKEN}`]],
    ['a blank after the token', ['Authorization', `Bearer ${TOKEN} `]],
    ['a token with a blank', ['Authorization', `Bearer ${TOKEN} ${TOKEN}`]],
    ['a token with a letter outside ASCII', ['Authorization', `Bearer ${TOKEN}é`]],
    ['the token in a header of another name', ['Proxy-Authorization', `Bearer ${TOKEN}`]],
    ['the right header twice', ['Authorization', `Bearer ${TOKEN}`, 'Authorization', `Bearer ${TOKEN}`]],
    ['the right header after a wrong one', ['authorization', 'Bearer x', 'Authorization', `Bearer ${TOKEN}`]],
    ['a pair joined by a comma', ['Authorization', `Bearer ${TOKEN}, Bearer ${TOKEN}`]],
    ['a pair joined without a blank', ['Authorization', `Bearer ${TOKEN},${TOKEN}`]],
    ['a name without a value', ['Authorization']],
  ])('rejects %s', (_name, headers) => {
    expect(admits(headers)).toBe(false);
  });

  it('rejects every request without configured tokens', () => {
    expect(createBearerTokenCheck([])(['Authorization', `Bearer ${TOKEN}`])).toBe(false);
  });
});

describe('Accept', () => {
  rule('verify-read.accept');

  it.each<[values: string[]]>([
    [[]],
    [['application/json']],
    [['APPLICATION/JSON']],
    [['*/*']],
    [['application/*']],
    [['text/html, */*;q=0.1']],
    [['text/html', 'application/json']],
    [['application/json; charset=utf-8']],
    [['application/json;charset="UTF-8";q=0.001']],
    [['application/json;q=1.000;extension=1']],
    [['*/*;q=0, application/json']],
    [['application/json, */*;q=0']],
    [['application/json;q=0, application/json;charset=utf-8']],
    [['application/json;q=0, application/json;q=0.5']],
    [[' , ,application/json,']],
    [['text/plain;note="a,b", application/json']],
    [['nonsense, application/json']],
    [['application/json;']],
    [['application/json; ;q=0.1;']],
    [['application/*, */*;charset=utf-8;q=0']],
  ])('includes JSON in %j', (values) => {
    expect(acceptsJson(values.flatMap((value) => ['Accept', value]))).toBe(true);
  });

  it.each<[values: string[]]>([
    [['']],
    [['text/html']],
    [['text/*, image/png']],
    [['application/jsonp']],
    [['application/json+x']],
    [['application/problem+json']],
    [['*']],
    [['*/json']],
    [['application/json;q=0']],
    [['application/json;q=0.000']],
    [['*/*;q=0']],
    [['application/json;q=0, */*']],
    [['application/*;q=0, */*']],
    [['application/json, application/json;charset=utf-8;q=0']],
    [['application/json;charset=iso-8859-1']],
    [['application/json;version=2']],
    [['application/json;q=2']],
    [['application/json;q=0.1234']],
    [['application/json;q=']],
    [['application/json;q=high']],
    [['application/*, */*;charset=utf-8;q=0', 'application/json;q=0']],
    [[';']],
  ])('excludes JSON from %j', (values) => {
    expect(acceptsJson(values.flatMap((value) => ['accept', value]))).toBe(false);
  });

  it('is parsed in time linear in its length', () => {
    const hostile = `${'"\\'.repeat(20_000)};q=`.repeat(2);
    expect(acceptsJson(['Accept', hostile])).toBe(false);
  });
});

describe('the declared body type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
    'application/json\t;\tCHARSET="UTF-8"',
  ])('is plain JSON for %j', (value) => {
    expect(declaresPlainJson(['Content-Type', value])).toBe(true);
  });

  it.each<[name: string, headers: string[]]>([
    ['nothing', []],
    ['an empty type', ['Content-Type', '']],
    ['another type', ['Content-Type', 'text/plain']],
    ['a longer type', ['Content-Type', 'application/json-seq']],
    ['another charset', ['Content-Type', 'application/json; charset=iso-8859-1']],
    ['an unknown spelling of the charset', ['Content-Type', 'application/json; charset=utf8']],
    ['half a quote', ['Content-Type', 'application/json; charset="utf-8']],
    ['another parameter', ['Content-Type', 'application/json; profile=x']],
    ['the charset twice', ['Content-Type', 'application/json; charset=utf-8; charset=utf-8']],
    ['an open end', ['Content-Type', 'application/json;']],
    ['two types in one header', ['Content-Type', 'application/json, application/json']],
    ['the right header twice', ['Content-Type', 'application/json', 'content-type', 'application/json']],
    ['an encoding', ['Content-Type', 'application/json', 'Content-Encoding', 'gzip']],
    ['the encoding that changes nothing', ['Content-Type', 'application/json', 'Content-Encoding', 'identity']],
    ['an empty encoding', ['Content-Type', 'application/json', 'Content-Encoding', '']],
  ])('is not plain JSON for %s', (_name, headers) => {
    expect(declaresPlainJson(headers)).toBe(false);
  });
});
