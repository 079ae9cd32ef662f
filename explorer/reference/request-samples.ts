/** Requests as programs: a command line, or a program that needs nothing but the standard library of its language. */
import { formatCurl, type CurlRequest } from './api-document.ts';

export const SAMPLE_LANGUAGES = ['curl', 'TypeScript', 'Python', 'Go'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

/** Returns the request in a language. A token is read from the environment. */
export function formatSample(language: SampleLanguage, request: CurlRequest): string {
  switch (language) {
    case 'curl':
      return formatCurl(request);
    case 'TypeScript':
      return formatTypeScript(request);
    case 'Python':
      return formatPython(request);
    case 'Go':
      return formatGo(request);
  }
}

/** The literals of JSON text are those of all three languages. */
const quote = (text: string) => JSON.stringify(text);

function formatTypeScript({ method, url, body, hasToken = false }: CurlRequest): string {
  const headers = [
    ...(hasToken ? ['Authorization: `Bearer ${process.env.SVC_ONBOARDING_TOKEN}`'] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json'"]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: ${quote(body)},`]),
  ];
  const call = options.length === 0 ? `fetch(${quote(url)})` : `fetch(${quote(url)}, {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.text());`;
}

function formatPython({ method, url, body, hasToken = false }: CurlRequest): string {
  return [
    ...(hasToken ? ['import os'] : []),
    'import urllib.error',
    'import urllib.request',
    '',
    `request = urllib.request.Request(${quote(url)}, method=${quote(method)})`,
    ...(hasToken ? ['request.add_header("Authorization", "Bearer " + os.environ["SVC_ONBOARDING_TOKEN"])'] : []),
    ...(body === undefined
      ? []
      : ['request.add_header("Content-Type", "application/json")', `request.data = ${quote(body)}.encode()`]),
    'try:',
    '    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ].join('\n');
}

function formatGo({ method, url, body, hasToken = false }: CurlRequest): string {
  const imports = ['fmt', 'io', 'net/http', ...(hasToken ? ['os'] : []), ...(body === undefined ? [] : ['strings'])];
  const reader = body === undefined ? 'nil' : `strings.NewReader(${quote(body)})`;
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t${quote(name)}`),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest(${quote(method)}, ${quote(url)}, ${reader})`,
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    ...(hasToken ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_ONBOARDING_TOKEN"))'] : []),
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\tbody, err := io.ReadAll(response.Body)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.StatusCode, string(body))',
    '}',
  ].join('\n');
}
