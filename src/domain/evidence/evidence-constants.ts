/** Fixed values of evidence documents and receipts (evidence 5 and 9). Unlike the namespace words, they contain no name. */
export const CONTROLLER_SCHEME = 'eip191-secp256k1';
export const REVOCATION_STATUS = 'not_evaluated';
