/** What a failure to open the database means, and its remedy, by the driver's code. */

const PRIVATE_CA =
  'the certificate of the server is not signed by a known authority; add sslrootcert=/path/to/ca.pem to the URL';

const MEANINGS: Readonly<Record<string, string>> = {
  TRANSACTION_POOLER:
    'a pooler lends a server connection per transaction, which loses locks and settings; use the server itself or a pool with pool_mode=session',
  '08P01': 'a pooler rejects the connection; use a pool with pool_mode=session, and no options in the URL',
  '28000':
    'the server accepts no unencrypted connection, or not this user from here; add sslmode=verify-full to the URL, then check the user',
  TLS_UNSUPPORTED: 'the server has no TLS; configure it there, or remove sslmode from the URL',
  DEPTH_ZERO_SELF_SIGNED_CERT: PRIVATE_CA,
  SELF_SIGNED_CERT_IN_CHAIN: PRIVATE_CA,
  UNABLE_TO_GET_ISSUER_CERT: PRIVATE_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: PRIVATE_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: PRIVATE_CA,
  CERT_HAS_EXPIRED: 'the certificate of the server has expired; renew it there',
  CERT_NOT_YET_VALID: 'the certificate of the server is not valid yet; check the clock of both hosts',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for another host name; use the name in the certificate',
  ECONNREFUSED: 'nothing listens there; check host and port, and that the server runs',
  ECONNRESET: 'the connection was closed; check that host and port belong to the database',
  ENOTFOUND: 'the host name does not exist; check the URL and DNS',
  EAI_AGAIN: 'the host name cannot be looked up now; check DNS',
  ETIMEDOUT: 'no response in time; check host, port and firewall, and that a pooler has free sessions',
  ENOENT: 'a certificate file or socket that the URL names does not exist; check the paths in the URL',
  '28P01': 'the server rejects the password; check user and password in the URL',
  '3D000': 'the database does not exist; create it with createdb',
  '42501': 'the user may not create tables; grant CREATE on the schema',
  '53300': 'the server has no free connection; raise max_connections, each replica takes up to 11',
  '57P03': 'the server is starting or stopping; try again',
  '25006': 'the server is a read-only standby; use the primary',
  SCHEMA_TOO_OLD: 'the tables are of an earlier release; start the service of this release, which migrates them',
  SCHEMA_TOO_NEW: 'a newer release has migrated it; start that release, or restore a backup',
  SQLITE_CANTOPEN: 'the file cannot be created or opened; check its folder and owner',
  SQLITE_READONLY: 'the file is not writable; check its owner and the file system',
  SQLITE_FULL: 'the disk is full; free some space',
  SQLITE_NOTADB: 'the file is no SQLite database; name another file',
  SQLITE_CORRUPT: 'the file is damaged; restore a backup',
  EACCES: 'the folder of the file is not writable; check its owner',
  EROFS: 'the file system is read-only; name a file on another one',
  ENOSPC: 'the disk is full; free some space',
};

/** Returns the code with its meaning and remedy; the remedy of any failure for an unknown code. */
export function explainDatabaseFailure(code: string): string {
  return `${code}: ${MEANINGS[code] ?? 'check the server or file, its owner and the credentials'}`;
}
