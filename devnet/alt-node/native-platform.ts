/** Platform of the local chains: both are native programs that exist for Linux on x64 with glibc only. */

export interface Platform {
  readonly platform: string;
  readonly arch: string;
}

export const LOCAL_CHAIN_PLATFORM: Platform = { platform: 'linux', arch: 'x64' };

/** Throws an error that says in one sentence what the local chains need. */
export function requireLocalChainPlatform({ platform, arch }: Platform = process): void {
  if (platform === LOCAL_CHAIN_PLATFORM.platform && arch === LOCAL_CHAIN_PLATFORM.arch) return;
  throw new Error(
    `the local chains need Linux on x64 and this is ${platform} on ${arch}; use a Linux container, or run svc serve with other nodes`,
  );
}
