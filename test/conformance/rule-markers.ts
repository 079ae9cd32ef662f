/** Static reader of the rule markers in test files: finds which test carries the id of which rule, without running a test. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface Proof {
  readonly id: string;
  /** From the root of the repository. */
  readonly path: string;
  /** Titles from the outermost group to the marked test or group, as the source spells them. */
  readonly titles: readonly string[];
}

const ROOT = join(import.meta.dirname, '../..');
const TEST_FILES = '{src,client,cli,explorer,contracts,devnet,test}/**/*.test.{ts,tsx}';
const MARKER_IMPORT = "conformance/rule.ts'";
const TEST_FUNCTIONS = ['describe', 'it', 'test'];
const INACTIVE = ['skip', 'todo', 'fails'];

/** Returns the proofs of all test files, in the order of the paths. */
export function readAllProofs(): Proof[] {
  const paths = globSync(TEST_FILES, { cwd: ROOT, exclude: ['**/dist/**', '**/node_modules/**'] }).sort();
  return paths.flatMap((path) => readProofs(path, readFileSync(join(ROOT, path), 'utf8')));
}

/** Returns the proofs of one file. Throws when a marker is misplaced, has ids that are not literals, or marks a test that does not run. */
export function readProofs(path: string, text: string): Proof[] {
  if (!text.includes(MARKER_IMPORT)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const proofs: Proof[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'rule') {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const titles = listTitles(node, `${path}:${line}`);
      proofs.push(...node.arguments.map((id) => ({ id: literalText(id, `${path}:${line}`), path, titles })));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return proofs;
}

function literalText(node: ts.Expression, at: string): string {
  if (!ts.isStringLiteral(node)) throw new Error(`${at}: the id of a rule is a string literal`);
  return node.text;
}

function listTitles(marker: ts.CallExpression, at: string): string[] {
  const call = findMarkedCall(marker);
  if (call === undefined) throw new Error(`${at}: a rule marker is the first statement of a test or group`);
  const titles: string[] = [];
  for (let node: ts.Node = call; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isCallExpression(node)) continue;
    const [name, ...modifiers] = listCalleeNames(node.expression);
    if (!TEST_FUNCTIONS.includes(name ?? '') || node.arguments.length < 2) continue;
    if (modifiers.some((modifier) => INACTIVE.includes(modifier)))
      throw new Error(`${at}: the marked test does not run`);
    titles.unshift(spellTitle(node.arguments[0]!));
  }
  return titles;
}

/** Returns the call of `it`, `test` or `describe` whose body starts with the marker. */
function findMarkedCall(marker: ts.CallExpression): ts.CallExpression | undefined {
  const statement = marker.parent;
  const body = statement.parent;
  if (!ts.isExpressionStatement(statement) || !ts.isBlock(body) || body.statements[0] !== statement) return undefined;
  const call = body.parent.parent;
  if (!ts.isCallExpression(call) || !call.arguments.some((argument) => argument === body.parent)) return undefined;
  return TEST_FUNCTIONS.includes(listCalleeNames(call.expression)[0] ?? '') ? call : undefined;
}

/** Returns `['it', 'skip', 'each']` for `it.skip.each(rows)`. */
function listCalleeNames(callee: ts.Expression): string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee)) return [...listCalleeNames(callee.expression), callee.name.text];
  if (ts.isCallExpression(callee)) return listCalleeNames(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? listCalleeNames(callee.tag) : [];
}

function spellTitle(title: ts.Expression): string {
  return ts.isStringLiteralLike(title) ? title.text : title.getText().replaceAll('`', '');
}
