/** Tests the rules of `SOURCES_FILE` (scoring, Sources and payout accounts), one per rule, and the sources hash. */
import { describe, expect, it } from 'vitest';
import { NO_SOURCES, parseSources, readSourcesFile, type SourcesReading } from './sources-file.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const SYMBOLS = Array.from({ length: 20 }, (_, i) => `TK${i}`).concat('USDC');

const parseText = (text: string): SourcesReading => parseSources(new TextEncoder().encode(text), SYMBOLS);
const parse = (value: unknown): SourcesReading => parseText(JSON.stringify(value));

/** A sound EVM source with other members. */
const evm = (members: object = {}) => ({
  rpc: ['https://node.example/secret-key'],
  tokens: { USDC },
  ...members,
});
/** A sound Solana source with other members. */
const solana = (members: object = {}) => ({
  id: '1151111081099710',
  rpc: ['https://alt.example/secret-key'],
  tokens: { USDC: USDC_MINT },
  ...members,
});
const problemsOf = (value: unknown) => parse(value).problems;

describe('parseSources', () => {
  it('parses an EVM chain and a Solana cluster', () => {
    expect(parse({ 'eip155:8453': evm(), [SOLANA]: solana() })).toStrictEqual({
      configured: {
        hash: 'cbe73e147997945c11d050a7dec590e50775ef4563165f46210309c016cb82aa',
        sources: [
          {
            name: 'eip155:8453',
            kind: 'evm',
            reference: '8453',
            id: '8453',
            rpcUrls: ['https://node.example/secret-key'],
            tokens: [{ symbol: 'USDC', address: USDC }],
          },
          {
            name: SOLANA,
            kind: 'solana',
            reference: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
            id: '1151111081099710',
            rpcUrls: ['https://alt.example/secret-key'],
            tokens: [{ symbol: 'USDC', address: USDC_MINT }],
          },
        ],
      },
    });
  });

  it('accepts an empty object as no sources, without a hash', () => {
    expect(parse({})).toStrictEqual({ configured: NO_SOURCES });
  });

  it('rejects text that is not JSON, and names the place', () => {
    expect(parseText('{"a": }').problems).toEqual([
      'SOURCES_FILE: unexpected character at character 6 of the JSON text',
    ]);
  });

  it('rejects a repeated name', () => {
    const text = `{"eip155:1":${JSON.stringify(evm())},"eip155:1":${JSON.stringify(evm())}}`;
    expect(parseText(text).problems).toEqual([expect.stringMatching(/^SOURCES_FILE: repeated member at/)]);
  });

  it.each(['[]', 'null', '"eip155:1"', '1'])('rejects a value that is not an object: %s', (text) => {
    expect(parseText(text).problems).toEqual(['SOURCES_FILE: must be a JSON object']);
  });

  it('accepts 8 sources and rejects 9', () => {
    const sources = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`eip155:${i + 1}`, evm()]));
    expect(problemsOf(sources(8))).toBeUndefined();
    expect(problemsOf(sources(9))).toEqual(['SOURCES_FILE: has more than 8 sources']);
  });

  it.each([
    ...['eip155:0', 'eip155:01', 'eip155:', 'eip155:0x1', 'eip155:9007199254740992', 'eip155:1:2', 'EIP155:1'],
    ...['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvd', `${SOLANA}p`, 'solana:0eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
    ...['bip122:1', 'https://node.example/secret-key', '', '__proto__'],
  ])('rejects a name that is not CAIP-2 of a supported namespace: %j', (name) => {
    expect(parseText(`{${JSON.stringify(name)}:${JSON.stringify(solana())}}`).problems).toEqual([
      'SOURCES_FILE: source 1: must be named eip155: and the chain id, or solana: and the first 32 characters of the genesis hash',
    ]);
  });

  it('rejects a source that is not an object', () => {
    expect(problemsOf({ 'eip155:1': ['x'] })).toEqual(['SOURCES_FILE: "eip155:1": must be an object']);
  });

  it('rejects members besides id, rpc and tokens', () => {
    expect(problemsOf({ 'eip155:1': evm({ 'secret-key': 1 }) })).toEqual([
      'SOURCES_FILE: "eip155:1": has members besides id, rpc, tokens',
    ]);
  });

  it('accepts the chain id as the id of an EVM source, and no other', () => {
    expect(problemsOf({ 'eip155:1': evm({ id: '1' }) })).toBeUndefined();
    for (const id of ['2', 1, '01', null]) {
      expect(problemsOf({ 'eip155:1': evm({ id }) })).toEqual([
        'SOURCES_FILE: "eip155:1".id: must be the chain id of the name, or missing',
      ]);
    }
  });

  it.each([undefined, 1, '', '01', '-1', '1e3', '0x1', '1.0', '18446744073709551616', ' 1'])(
    'rejects the id of a Solana source that is not decimal text of 64 bits: %j',
    (id) => {
      expect(problemsOf({ [SOLANA]: solana({ id }) })).toEqual([
        `SOURCES_FILE: "${SOLANA}".id: must be the decimal text of a number of at most 64 bits`,
      ]);
    },
  );

  it.each(['0', '18446744073709551615'])('accepts the id of a Solana source: %s', (id) => {
    expect(parse({ [SOLANA]: solana({ id }) }).configured?.sources[0]?.id).toBe(id);
  });

  it('rejects an id that two sources share', () => {
    expect(problemsOf({ 'eip155:8453': evm(), [SOLANA]: solana({ id: '8453' }) })).toEqual([
      `SOURCES_FILE: "${SOLANA}".id: is that of another source`,
    ]);
  });

  it.each([undefined, [], 'https://node.example/secret-key', {}, Array.from({ length: 5 }, () => 'https://a.example')])(
    'rejects other than 1 to 4 URLs: %j',
    (rpc) => {
      expect(problemsOf({ 'eip155:1': evm({ rpc }) })).toEqual([
        'SOURCES_FILE: "eip155:1".rpc: must be an array of 1 to 4 URLs',
      ]);
    },
  );

  it.each(['ftp://secret-key', 'https://', 'node.example', 'https://a b', 'https://%zz@a.example', 1, null])(
    'rejects a URL that no request can be sent to, without repeating it: %j',
    (url) => {
      expect(problemsOf({ 'eip155:1': evm({ rpc: ['https://node.example', url] }) })).toEqual([
        'SOURCES_FILE: "eip155:1".rpc[1]: must be an http or https URL, its user and password percent-encoded',
      ]);
    },
  );

  it.each([undefined, {}, [], Object.fromEntries(SYMBOLS.slice(0, 17).map((symbol, i) => [symbol, toAddress(i)]))])(
    'rejects other than 1 to 16 tokens: %j',
    (tokens) => {
      expect(problemsOf({ 'eip155:1': evm({ tokens }) })).toEqual([
        'SOURCES_FILE: "eip155:1".tokens: must be an object of 1 to 16 tokens',
      ]);
    },
  );

  it('accepts 16 tokens', () => {
    const tokens = Object.fromEntries(SYMBOLS.slice(0, 16).map((symbol, i) => [symbol, toAddress(i)]));
    expect(parse({ 'eip155:1': evm({ tokens }) }).configured?.sources[0]?.tokens).toHaveLength(16);
  });

  it('rejects a symbol that is not a token of TOKENS_FILE, and repeats only a valid one', () => {
    expect(problemsOf({ 'eip155:1': evm({ tokens: { DAI: USDC, 'secret key': toAddress(1) } }) })).toEqual([
      'SOURCES_FILE: "eip155:1".tokens.DAI: is not a token of TOKENS_FILE',
      'SOURCES_FILE: "eip155:1".tokens[1]: is not a token of TOKENS_FILE',
    ]);
  });

  it('rejects an address that two tokens of one source share', () => {
    expect(problemsOf({ 'eip155:1': evm({ tokens: { USDC, TK1: USDC } }) })).toEqual([
      'SOURCES_FILE: "eip155:1".tokens.TK1: has the address of another token',
    ]);
  });

  it('accepts one address on two chains', () => {
    expect(problemsOf({ 'eip155:1': evm(), 'eip155:2': evm() })).toBeUndefined();
  });

  it.each([USDC.toUpperCase(), USDC.replace('d', 'D'), USDC.slice(2), `${USDC}0`, USDC_MINT, 1])(
    'rejects an EVM address in any but its one notation: %j',
    (address) => {
      expect(problemsOf({ 'eip155:1': evm({ tokens: { USDC: address } }) })).toEqual([
        'SOURCES_FILE: "eip155:1".tokens.USDC: must be 0x and 40 lower-case hex digits',
      ]);
    },
  );

  it.each([USDC, `${USDC_MINT}1`, USDC_MINT.slice(2), 1])('rejects a mint that is not 32 bytes: %j', (address) => {
    expect(problemsOf({ [SOLANA]: solana({ tokens: { USDC: address } }) })).toEqual([
      `SOURCES_FILE: "${SOLANA}".tokens.USDC: must be base58 of 32 bytes`,
    ]);
  });

  it('repeats no URL and no key in any problem', () => {
    const broken = {
      'secret-key': evm({ rpc: ['secret-key'] }),
      'eip155:1': evm({ id: 'secret-key', rpc: ['ftp://secret-key'], tokens: { 'secret-key': 'secret-key' } }),
      [SOLANA]: solana({ id: 'secret-key', tokens: { USDC: 'secret-key' } }),
    };
    const problems = problemsOf(broken)!;
    expect(problems).toHaveLength(8);
    expect(problems.join()).not.toContain('secret-key');
  });
});

describe('the sources hash', () => {
  const hashOf = (value: unknown) => parse(value).configured!.hash;

  it('depends neither on URLs, nor on the order of members, nor on an id that repeats the chain id', () => {
    const [one, other] = [
      { 'eip155:8453': evm(), [SOLANA]: solana() },
      { [SOLANA]: solana({ rpc: ['https://b.example'] }), 'eip155:8453': evm({ rpc: ['http://c'], id: '8453' }) },
    ];
    expect(hashOf(one)).toBe(hashOf(other));
  });

  it('depends on names, ids, symbols and addresses', () => {
    const values = [
      { 'eip155:1': evm() },
      { 'eip155:2': evm() },
      { 'eip155:1': evm({ tokens: { USDC: toAddress(1) } }) },
      { 'eip155:1': evm({ tokens: { TK1: USDC } }) },
      { [SOLANA]: solana() },
      { [SOLANA]: solana({ id: '5' }) },
    ];
    expect(new Set(values.map(hashOf)).size).toBe(values.length);
  });
});

it('readSourcesFile reports one problem when the file cannot be read', async () => {
  expect(await readSourcesFile('/nowhere/secret-name.json', SYMBOLS)).toStrictEqual({
    problems: ['SOURCES_FILE: cannot be read: it does not exist'],
  });
});

function toAddress(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`;
}
