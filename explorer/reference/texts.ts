/** Texts of the API reference. */

export const ERRORS_GUIDE = 'guide-errors';

export const GUIDES = [
  {
    id: 'guide-requests',
    title: 'Requests',
    rules: [
      'Ids are strings. A JSON number would be rounded and name another machine.',
      'Responses name the block they were computed at in `chain-block`, and its age in seconds in `chain-block-age`.',
      'Responses have an `ETag`. Send it as `If-None-Match` to get 304 while nothing has changed.',
      'The limit is by default 90 requests a minute for each path and address. A 429 says when to continue in `Retry-After`.',
    ],
  },
  {
    id: 'guide-programs',
    title: 'Programs',
    rules: [
      'Pages of any origin may call every route except those under `/v1/verify/`, which a server has to call.',
      'Generate a client from `/openapi.json`, or use the packages for TypeScript, Python and Go in the repository.',
      'Follow `/changes/stream`, server-sent events that resume with `Last-Event-ID`; `/asyncapi.json` describes it.',
      'Agents use the read-only MCP server at `/mcp` over Streamable HTTP, or `svc mcp` over stdio.',
    ],
  },
  {
    id: 'guide-authentication',
    title: 'Authentication',
    rules: [
      'Reads need no key and no account.',
      'A decision about monetization carries the signature of the owner or the controller, and nothing else.',
      'Only the routes of onboarding providers need a token, sent as `Authorization: Bearer`.',
    ],
  },
  {
    id: 'guide-paging',
    title: 'Pages of lists',
    rules: [
      'A list with `next` is continued with `after`; null means that nothing is left. A page may be short before that.',
      'A list with `pagination` is continued with `offset`, and one with `next_cursor` with `cursor`.',
    ],
  },
  {
    id: ERRORS_GUIDE,
    title: 'Errors',
    rules: [
      '404 is definitive. 503 means unknown: keep your last known value and retry later.',
      'Branch on the `code` of an error, or on its fixed text. Both stay the same.',
      'A 422 names each invalid parameter and its bounds.',
    ],
  },
] as const;
