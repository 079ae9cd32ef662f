/**
 * Hostile DID document and metadata: scripts, control characters, unusable links and invalid UTF-8. Encoded by hand, because
 * libraries do not write invalid UTF-8.
 */
import { encodeAbiParameters, stringToHex, toFunctionSelector, zeroAddress } from 'viem';
import type { Hex } from 'viem';
import type { Call } from '../main-chain/chain-writer.ts';
import type { Deployment } from '../main-chain/deploy.ts';
import { credentialsOf } from './persona.ts';
import type { PersonaMachine } from './persona.ts';

export const HOSTILE_NAME = 'hostile-strings';

/** Invalid UTF-8: a lone continuation byte, an overlong slash, half of a surrogate pair. */
export const INVALID_UTF8: Hex = '0x80c0afeda080';
const LONG_TEXT = stringToHex('x'.repeat(2_000));

const HOSTILE_ENDPOINTS: readonly (readonly [id: Hex, serviceType: Hex, serviceEndpoint: Hex])[] = [
  [stringToHex('#docs'), stringToHex('documentation_url'), stringToHex('javascript:alert(document.domain)')],
  [stringToHex('#docs'), stringToHex('Documentation'), stringToHex('https://second.example.com/is-not-read')],
  [stringToHex('#vis'), stringToHex('DATAVISIBILITY'), stringToHex('everyone')],
  [stringToHex('"><script>alert(1)</script>'), stringToHex('\u202etxt.exe'), stringToHex('https://xss.example.com/')],
  [stringToHex('\u0000\u001b[31m\r\nSet-Cookie: a=b'), stringToHex("' OR 1=1 --"), stringToHex('file:///etc/passwd')],
  [INVALID_UTF8, INVALID_UTF8, INVALID_UTF8],
  [stringToHex('__proto__'), stringToHex('constructor'), LONG_TEXT],
];

/** Declares strings as `bytes`, which are encoded alike, so that invalid UTF-8 can be stored. */
const RAW_ACTIVATION = [
  {
    type: 'tuple',
    components: [
      { name: 'id', type: 'bytes' },
      { name: 'controller', type: 'address' },
      {
        name: 'verificationMethods',
        type: 'tuple[]',
        components: [
          { name: 'id', type: 'bytes' },
          { name: 'methodType', type: 'bytes' },
          { name: 'controller', type: 'address' },
          { name: 'publicKeyMultibase', type: 'bytes' },
        ],
      },
      { name: 'authentication', type: 'uint256[]' },
      {
        name: 'serviceEndpoints',
        type: 'tuple[]',
        components: [
          { name: 'id', type: 'bytes' },
          { name: 'serviceType', type: 'bytes' },
          { name: 'serviceEndpoint', type: 'bytes' },
        ],
      },
    ],
  },
  { type: 'bytes' },
  { type: 'bytes' },
  { type: 'address' },
  { type: 'uint8' },
] as const;

const VERIFICATION_METHOD = '(string,string,address,string)[]';
const SERVICE_ENDPOINT = '(string,string,string)[]';
const ACTIVATE_SELECTOR = toFunctionSelector(
  `activateMachine((string,address,${VERIFICATION_METHOD},uint256[],${SERVICE_ENDPOINT}),string,bytes,address,uint8)`,
);

/** Returns the activation of `hostile-strings`. It names a documentation URL and a visibility that are both invalid. */
export function activateHostile(deployment: Deployment, { activator }: PersonaMachine): Call {
  const { machineType, credentialSubject } = credentialsOf(HOSTILE_NAME);
  const document = {
    id: stringToHex('did:svc:1'),
    controller: zeroAddress,
    verificationMethods: [
      {
        id: INVALID_UTF8,
        methodType: LONG_TEXT,
        controller: zeroAddress,
        publicKeyMultibase: stringToHex('z{{7*7}}'),
      },
    ],
    authentication: [0n, 7n, 2n ** 256n - 1n],
    serviceEndpoints: HOSTILE_ENDPOINTS.map(([id, serviceType, serviceEndpoint]) => ({
      id,
      serviceType,
      serviceEndpoint,
    })),
  };
  const parameters = [document, stringToHex(machineType), credentialSubject, zeroAddress, 2] as const;
  return {
    label: `activate ${HOSTILE_NAME}`,
    from: activator.address,
    to: deployment.addresses.machineStateAndSync,
    data: `${ACTIVATE_SELECTOR}${encodeAbiParameters(RAW_ACTIVATION, parameters).slice(2)}`,
  };
}

/** Metadata, one item for each of its events. */
export const HOSTILE_METADATA = [INVALID_UTF8, '{"__proto__":{"a":1},"<b>":"\\u0000"}', '{"a":'];
