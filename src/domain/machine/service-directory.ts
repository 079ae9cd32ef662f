/**
 * Service directory of a machine: documentation, data API and data visibility from its service endpoints (chain-evm 3.3).
 * Endpoints are untrusted free text: a value is used only when it has the required form.
 */
import type { ServiceEndpoint } from './machine-facts.ts';

export type DataVisibility = 'private' | 'onchain' | 'public';

export interface ServiceDirectory {
  readonly documentationUrl: string | undefined;
  readonly dataApi: string | undefined;
  readonly visibility: DataVisibility;
  /** All http(s) endpoints except the data API, in document order. */
  readonly webServices: readonly ServiceEndpoint[];
}

/** Longer URLs that others published are not used. */
export const MAX_URL_LENGTH = 2048;
const DOCUMENTATION = { types: ['documentation', 'documentation_url'], ids: ['documentation'] };
const DATA_API = { types: ['dataapi', 'data_api'], ids: ['data-api', 'data_api'] };
const VISIBILITY = { types: ['datavisibility', 'data_visibility'], ids: ['data-visibility'] };

export function toServiceDirectory(endpoints: readonly ServiceEndpoint[]): ServiceDirectory {
  const documentation = findEndpoint(endpoints, DOCUMENTATION);
  const dataApi = findEndpoint(endpoints, DATA_API);
  const dataApiUrl = dataApi && parseWebUrl(dataApi.serviceEndpoint);
  return {
    documentationUrl: documentation && parseWebUrl(documentation.serviceEndpoint),
    dataApi: dataApiUrl,
    visibility: parseVisibility(findEndpoint(endpoints, VISIBILITY)?.serviceEndpoint),
    webServices: endpoints.filter(
      (endpoint) => endpoint !== dataApi && parseWebUrl(endpoint.serviceEndpoint) !== undefined,
    ),
  };
}

/** Returns the first endpoint in document order with one of the types, or one of the ids after the fragment mark. */
function findEndpoint(
  endpoints: readonly ServiceEndpoint[],
  names: { readonly types: readonly string[]; readonly ids: readonly string[] },
): ServiceEndpoint | undefined {
  return endpoints.find(
    ({ serviceType, id }) =>
      names.types.includes(serviceType.toLowerCase()) ||
      names.ids.includes(id.slice(id.lastIndexOf('#') + 1).toLowerCase()),
  );
}

/** Returns the text when it is an http(s) URL of at most `MAX_URL_LENGTH` characters without blanks and control characters. */
function parseWebUrl(text: string): string | undefined {
  const plausible = text.length <= MAX_URL_LENGTH && /^https?:\/\/[^\s\p{C}]+$/iu.test(text);
  return plausible && URL.canParse(text) ? text : undefined;
}

function parseVisibility(text: string | undefined): DataVisibility {
  return text === 'onchain' || text === 'public' ? text : 'private';
}
