/**
 * Discovery of browser wallets. EVM wallets announce themselves (EIP-6963) or provide `window.ethereum`; Solana wallets
 * register by the Wallet Standard. Requests message signatures only, never a transaction.
 */

export interface SignedMessage {
  readonly account: string;
  /** EVM: `0x` and 130 hex digits. Solana: 64 bytes. */
  readonly signature: string | Uint8Array;
}

export interface Wallet {
  readonly name: string;
  readonly scheme: 'eip191' | 'ed25519';
  /** Rejects when the user declines or the wallet fails. */
  sign(message: Uint8Array): Promise<SignedMessage>;
}

interface EthereumProvider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

interface SolanaAccount {
  readonly address: string;
  readonly features: readonly string[];
}

interface StandardWallet {
  readonly name: string;
  readonly accounts: readonly SolanaAccount[];
  readonly features: Readonly<Record<string, unknown>>;
}

interface ConnectFeature {
  connect(): Promise<{ readonly accounts: readonly SolanaAccount[] }>;
}

interface SignMessageFeature {
  signMessage(input: { account: SolanaAccount; message: Uint8Array }): Promise<readonly { signature: Uint8Array }[]>;
}

const CONNECT = 'standard:connect';
const SIGN_MESSAGE = 'solana:signMessage';

/** Calls `found` once for each wallet, now and later. Returns a function that stops the discovery. */
export function discoverWallets(found: (wallet: Wallet) => void): () => void {
  const end = new AbortController();
  const names = new Set<string>();
  const report = (wallet: Wallet) => {
    const key = `${wallet.scheme} ${wallet.name}`;
    if (names.has(key)) return;
    names.add(key);
    found(wallet);
  };

  const onAnnounce = (event: Event) => {
    const { info, provider } = (event as CustomEvent<{ info?: { name?: unknown }; provider: EthereumProvider }>).detail;
    report(toEthereumWallet(typeof info?.name === 'string' ? info.name : 'EVM wallet', provider));
  };
  addEventListener('eip6963:announceProvider', onAnnounce, { signal: end.signal });
  dispatchEvent(new Event('eip6963:requestProvider'));
  const { ethereum } = window as { ethereum?: EthereumProvider };
  if (ethereum !== undefined && names.size === 0) report(toEthereumWallet('Browser wallet', ethereum));

  const register = (...wallets: readonly StandardWallet[]) => {
    for (const wallet of wallets) if (SIGN_MESSAGE in wallet.features) report(toSolanaWallet(wallet));
    return () => undefined;
  };
  const onRegister = (event: Event) =>
    (event as CustomEvent<(api: { register: typeof register }) => void>).detail({ register });
  addEventListener('wallet-standard:register-wallet', onRegister, { signal: end.signal });
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  return () => end.abort();
}

function toEthereumWallet(name: string, provider: EthereumProvider): Wallet {
  return {
    name,
    scheme: 'eip191',
    async sign(message) {
      const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[];
      const account = accounts[0];
      if (account === undefined) throw new Error('the wallet shared no account');
      const signature = await provider.request({ method: 'personal_sign', params: [toHex(message), account] });
      return { account, signature: String(signature) };
    },
  };
}

function toSolanaWallet(wallet: StandardWallet): Wallet {
  return {
    name: wallet.name,
    scheme: 'ed25519',
    async sign(message) {
      const connect = wallet.features[CONNECT] as ConnectFeature | undefined;
      const accounts = connect === undefined ? wallet.accounts : (await connect.connect()).accounts;
      const account = accounts.find(({ features }) => features.includes(SIGN_MESSAGE)) ?? accounts[0];
      if (account === undefined) throw new Error('the wallet shared no account');
      const { signMessage } = wallet.features[SIGN_MESSAGE] as SignMessageFeature;
      const [signed] = await signMessage({ account, message });
      if (signed === undefined) throw new Error('the wallet returned no signature');
      return { account: account.address, signature: signed.signature };
    },
  };
}

function toHex(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
