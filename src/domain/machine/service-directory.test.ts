import { describe, expect, it } from 'vitest';
import { toServiceDirectory } from './service-directory.ts';

const endpoint = (serviceType: string, serviceEndpoint: string, id = '#x') => ({ id, serviceType, serviceEndpoint });

describe('the service directory', () => {
  it('is empty for a machine without endpoints', () => {
    expect(toServiceDirectory([])).toEqual({
      documentationUrl: undefined,
      dataApi: undefined,
      visibility: 'private',
      webServices: [],
    });
  });

  it.each(['Documentation', 'documentation', 'DOCUMENTATION_URL'])('finds documentation by the type %s', (type) => {
    expect(toServiceDirectory([endpoint(type, 'https://a.example/doc')]).documentationUrl).toBe(
      'https://a.example/doc',
    );
  });

  it.each(['#data-api', 'data_api', 'did:svc:5#Data-API'])('finds the data API by the id %s', (id) => {
    expect(toServiceDirectory([endpoint('Other', 'https://a.example/', id)]).dataApi).toBe('https://a.example/');
  });

  it.each(['#documentation', 'Documentation', 'did:svc:5#documentation'])('finds documentation by the id %s', (id) => {
    expect(toServiceDirectory([endpoint('Other', 'https://a.example/', id)]).documentationUrl).toBe(
      'https://a.example/',
    );
  });

  it.each(['DataApi', 'dataapi', 'DATA_API'])('finds the data API by the type %s', (type) => {
    expect(toServiceDirectory([endpoint(type, 'https://a.example/')]).dataApi).toBe('https://a.example/');
  });

  it.each([
    ['DataVisibility', '#x'],
    ['data_visibility', '#x'],
    ['Other', '#data-visibility'],
  ])('finds the visibility by the type %s and the id %s', (type, id) => {
    expect(toServiceDirectory([endpoint(type, 'onchain', id)]).visibility).toBe('onchain');
  });

  it.each(['', '#'])('finds nothing by the empty id %j', (id) => {
    expect(toServiceDirectory([endpoint('', 'https://a.example/', id), endpoint('', 'onchain', id)])).toMatchObject({
      documentationUrl: undefined,
      dataApi: undefined,
      visibility: 'private',
    });
  });

  it('takes the first match in document order, even when its value is unusable', () => {
    const directory = toServiceDirectory([
      endpoint('DataApi', 'ftp://a.example'),
      endpoint('DataApi', 'https://b.example/'),
    ]);
    expect(directory.dataApi).toBeUndefined();
    expect(directory.webServices).toEqual([endpoint('DataApi', 'https://b.example/')]);
  });

  it.each([
    ['another scheme', 'ftp://a.example/'],
    ['a script', 'javascript:alert(1)'],
    ['2,049 characters', `https://a.example/${'x'.repeat(2031)}`],
    ['something before it', 'see https://a.example/'],
    ['a script before it', 'javascript:https://a.example/'],
    ['a blank inside', 'https://a.example/ b'],
    ['a line feed', 'https://a.example/\n'],
    ['a bidi mark', 'https://a.example/\u202e'],
    ['no host', 'https://'],
    ['nothing', ''],
  ])('treats a value with %s as not set', (_name, value) => {
    expect(toServiceDirectory([endpoint('Documentation', value)]).documentationUrl).toBeUndefined();
  });

  it('accepts exactly 2,048 characters', () => {
    const url = `https://a.example/${'x'.repeat(2030)}`;
    expect(toServiceDirectory([endpoint('Documentation', url)]).documentationUrl).toBe(url);
  });

  it.each([
    ['onchain', 'onchain'],
    ['public', 'public'],
    ['private', 'private'],
    ['Public', 'private'],
    ['', 'private'],
    ['anything', 'private'],
  ])('reads the visibility %j as %s', (value, visibility) => {
    expect(toServiceDirectory([endpoint('DataVisibility', value)]).visibility).toBe(visibility);
  });

  it('lists every other http(s) endpoint in document order', () => {
    const endpoints = [
      endpoint('MQTT', 'mqtt://a.example'),
      endpoint('Docs', 'http://a.example/'),
      endpoint('data_api', 'https://d.example/'),
      endpoint('Chat', 'https://c.example/'),
    ];
    expect(toServiceDirectory(endpoints).webServices).toEqual([endpoints[1], endpoints[3]]);
  });
});
