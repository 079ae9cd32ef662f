/** Architecture rules of CONTRIBUTING.md. Each violation names the file and the rule. */
import { posix } from 'node:path';
import { DEFAULT_NAMESPACE } from '../../src/domain/identifiers/namespace.ts';
import { findRow, isWithin } from './import-table.ts';
import type { SourceFile } from './source-file.ts';

const NAMESPACE_FILE = 'src/domain/identifiers/namespace.ts';
const ENVIRONMENT_FILE = 'src/config.ts';
const WIRE_ERRORS_FILE = 'src/http/error-responses.ts';

/** Folder names that do not describe their content. */
const NAMELESS_FOLDERS = ['utils', 'helpers', 'common', 'lib', 'shared'];
/** `store.sqlite.test.ts` is the test of `store` on SQLite. */
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*((\.[a-z0-9]+)?\.test|\.d)?\.tsx?$/;

/** Folders to which the tables and reserved words apply; benchmarks, documents and tests are exempt. */
const HOUSE = ['src', 'client', 'cli', 'explorer', 'contracts', 'devnet'];
/** Folders without any HTTP facts. */
const WIRELESS = ['src/domain', 'src/ports', 'src/actions', 'src/indexing'];
const STATUS = /\b(?:status|statusCode|code)\s*(?:[:(]|={1,3})\s*[1-5]\d\d\b/;

/** Returns all violations, in the order of the files. */
export function findViolations(files: readonly SourceFile[]): string[] {
  const wireWords = listWireWords(files);
  const forTests = new Set(files.filter((file) => file.isForTests).map(({ path }) => path));
  return files.flatMap((file) =>
    [
      ...judgeName(file.path),
      ...judgeOpening(file),
      ...judgeImports(file, forTests),
      ...judgeEnvironment(file),
      ...judgeNamespaceWords(file),
      ...judgeWireWords(file, wireWords),
    ].map((violation) => `${file.path}: ${violation}`),
  );
}

function judgeName(path: string): string[] {
  const name = posix.basename(path);
  const folder = posix
    .dirname(path)
    .split('/')
    .find((each) => NAMELESS_FOLDERS.includes(each));
  return [
    ...(folder === undefined ? [] : [`no folder is called ${folder}`]),
    ...(name === 'index.ts' ? ['no barrels: import from the file itself'] : []),
    ...(name === 'types.ts' || name === 'types.d.ts' ? ['no types.ts: define a type in the module it belongs to'] : []),
    ...(KEBAB_CASE.test(name) ? [] : ['file names are kebab-case']),
  ];
}

function judgeOpening({ path, text }: SourceFile): string[] {
  const opening = /^\/\*\*[\s*]*((?:[^.]|\.\S)*?[.?:](?=\s)|)/.exec(text)?.[1];
  if (opening === undefined) {
    return path.endsWith('.test.ts') ? [] : ['a file opens with a statement of what it is: /** … */'];
  }
  return opening.includes('?') ? ['opens with a question instead of a statement'] : [];
}

function judgeImports({ path, imports, isForTests }: SourceFile, forTests: ReadonlySet<string>): string[] {
  if (isForTests || !isInHouse(path)) return [];
  const row = findRow(path);
  if (row === undefined) return ['no row of the import table covers it'];
  const { of, mayImport, packages } = row;
  return imports.flatMap((imported) => {
    if (forTests.has(imported)) return [`imports ${imported}, which is for tests`];
    const isOwn = imported.includes('/') && /\.tsx?$/.test(imported);
    if (isOwn && mayImport.some((folder) => isWithin(imported, folder))) return [];
    const name = packageOf(imported);
    if (!isOwn && packages.some((each) => each === name || (each === 'node:' && name.startsWith(each)))) return [];
    return [`${of} may not import ${isOwn ? imported : name}`];
  });
}

/** Returns `viem` for `viem/utils` and `@noble/hashes` for `@noble/hashes/sha2.js`. */
function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}

function judgeEnvironment({ path, readsEnvironment, isForTests }: SourceFile): string[] {
  if (!readsEnvironment || isForTests || path === ENVIRONMENT_FILE || !isInHouse(path)) return [];
  return [`only ${ENVIRONMENT_FILE} reads process.env`];
}

/** Reports reserved namespace words. The DID method alone is not one of them, because it is also the name of the command. */
function judgeNamespaceWords({ path, literals, isForTests }: SourceFile): string[] {
  if (isForTests || path === NAMESPACE_FILE || !isWithinAny(path, ['src', 'client', 'cli', 'explorer'])) return [];
  const { did_method: method, ...words } = DEFAULT_NAMESPACE;
  return [`did:${method}:`, ...Object.values(words)]
    .filter((word) => literals.some((literal) => containsWord(literal, word)))
    .map((word) => `only ${NAMESPACE_FILE} spells ${word}`);
}

function containsWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at >= 0 && !/\w/.test(text[at - 1] ?? '') && !(/\w$/.test(word) && /\w/.test(text[at + word.length] ?? ''));
}

/** Returns the codes and sentences of the error table. */
function listWireWords(files: readonly SourceFile[]): readonly string[] {
  const table = files.find(({ path }) => path === WIRE_ERRORS_FILE);
  return (table?.literals ?? []).filter((text) => /^[A-Z][A-Z]+(_[A-Z]+)+$|^[A-Z][a-z]+ .*[a-z]$/.test(text));
}

function judgeWireWords({ path, text, literals, isForTests }: SourceFile, wireWords: readonly string[]): string[] {
  if (isForTests || !isWithin(path, 'src') || isWithin(path, 'src/http')) return [];
  const spelled = wireWords.filter((word) => literals.includes(word));
  const status = isWithinAny(path, WIRELESS) ? STATUS.exec(text)?.[0] : undefined;
  return [
    ...spelled.map((word) => `only src/http spells ${word}`),
    ...(status === undefined ? [] : [`only src/http knows statuses: ${status}`]),
  ];
}

function isInHouse(path: string): boolean {
  return isWithinAny(path, HOUSE);
}

function isWithinAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}
