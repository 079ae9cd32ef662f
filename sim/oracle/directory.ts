/** Directory of documentation and data endpoints: the table of chain-evm 3.3, implemented a second time. */
import type { Endpoint } from '../chain/machine-state.ts';

export interface Directory {
  readonly documentation: string | undefined;
  readonly dataApi: string | undefined;
  readonly visibility: string;
  readonly others: readonly Endpoint[];
}

export function readDirectory(endpoints: readonly Endpoint[]): Directory {
  const find = (types: readonly string[], ids: readonly string[]) =>
    endpoints.find(
      ({ type, id }) => types.includes(type.toLowerCase()) || ids.includes(id.replace('#', '').toLowerCase()),
    );
  const api = find(['dataapi', 'data_api'], ['data-api', 'data_api']);
  const declared = find(['datavisibility', 'data_visibility'], ['data-visibility'])?.url;
  return {
    documentation: toWeb(find(['documentation', 'documentation_url'], ['documentation'])),
    dataApi: toWeb(api),
    visibility: declared === 'onchain' || declared === 'public' ? declared : 'private',
    others: endpoints.filter((endpoint) => endpoint !== api && toWeb(endpoint) !== undefined),
  };
}

function toWeb(endpoint: Endpoint | undefined): string | undefined {
  return endpoint?.url.startsWith('https://') === true ? endpoint.url : undefined;
}
