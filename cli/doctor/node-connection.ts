/**
 * Why a node does not respond, found by opening one connection to it. Repeats nothing of its URL, which may hold a key: only the code
 * of the system.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

const TIMEOUT_MILLISECONDS = 5_000;
const UNKNOWN_AUTHORITY =
  'its certificate is not signed by a known authority; name the file of that authority in NODE_EXTRA_CA_CERTS';

const REMEDIES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it, or use another node',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; check the clock of this host',
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name; use the name in the certificate',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; use http:// or another port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; use http:// or another port',
  ECONNREFUSED: 'nothing listens there; check host and port, and that the node runs',
  ECONNRESET: 'it closes the connection; check the port, and http or https',
  ENOTFOUND: 'the host name does not exist; check the URL and DNS',
  EAI_AGAIN: 'the host name cannot be looked up now; check DNS',
  EHOSTUNREACH: 'the host cannot be reached; check the network',
  ENETUNREACH: 'the host cannot be reached; check the network',
  ABORT_ERR: 'no connection within 5 s; check host, port and firewall',
};

/** Returns the remedy for a node that does not respond. Never throws. */
export async function explainConnection(url: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'https:';
  const at = { host, port: Number(port === '' ? (isSecure ? 443 : 80) : port) };
  const socket = isSecure ? connectSecurely(at) : connect(at);
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    return 'it accepts the connection and gives no JSON-RPC response; check the path of the URL and the key in it';
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code);
    return `${code}: ${REMEDIES[code] ?? 'check the node and the address'}`;
  } finally {
    // A late error of an aborted connection.
    socket.on('error', () => undefined).destroy();
  }
}
