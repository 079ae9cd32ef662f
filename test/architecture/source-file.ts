/** Imports, exports, literals and environment reads of a source file, taken from its syntax tree so that comments do not count. */
import { posix } from 'node:path';
import ts from 'typescript';

export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Paths like `path` for relative imports, else the module's name. */
  readonly imports: readonly string[];
  /** Names defined and exported here, without re-exports of other files. */
  readonly exports: readonly string[];
  /** Texts of all string and template literals except the names of modules. */
  readonly literals: readonly string[];
  readonly readsEnvironment: boolean;
  /** True for tests, files that import test tools, and files that only these import. */
  readonly isForTests: boolean;
}

const TEST_TOOLS = ['vitest', 'fast-check'];

type ParsedFile = Omit<SourceFile, 'isForTests'>;

/** Parses files, given as texts by path. */
export function parseSourceFiles(texts: Readonly<Record<string, string>>): SourceFile[] {
  const parsed = Object.entries(texts).map(([path, text]) => parse(path, text));
  const forTests = findTestSupport(parsed);
  return parsed.map((file) => ({ ...file, isForTests: forTests.has(file.path) }));
}

function parse(path: string, text: string): ParsedFile {
  const imports: string[] = [];
  const literals: string[] = [];
  let readsEnvironment = false;
  const visit = (node: ts.Node): void => {
    const module = findModuleName(node);
    if (module !== undefined) imports.push(module.startsWith('.') ? posix.join(posix.dirname(path), module) : module);
    else if (ts.isStringLiteralLike(node) && !isModuleName(node)) literals.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      // The value of an expression is unknown, so its place is marked and the text stays whole.
      literals.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('\uFFFD'));
    }
    readsEnvironment ||= isEnvironment(node);
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  visit(source);
  return { path, text, imports, exports: listExports(source), literals, readsEnvironment };
}

function listExports({ statements }: ts.SourceFile): string[] {
  const names = statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier === undefined) {
      const clause = statement.exportClause;
      return clause !== undefined && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
    }
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
    }
    const name = (statement as ts.Statement & { readonly name?: ts.Node }).name;
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
  });
  // A type and a value of one name are one export, as are the overloads of a function.
  return [...new Set(names)];
}

function findModuleName(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return literalText(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literalText(node.argument.literal);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return literalText(node.arguments[0]);
  }
  return undefined;
}

function isModuleName(node: ts.Node): boolean {
  return literalText(node) !== undefined && findModuleName(node.parent) === literalText(node);
}

function literalText(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** `process.env`, `process['env']`, or `env` taken from the module. */
function isEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.expression.getText() === 'process' && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) {
    return node.expression.getText() === 'process' && literalText(node.argumentExpression) === 'env';
  }
  return (
    ts.isImportSpecifier(node) &&
    node.getText() === 'env' &&
    /['"]node:process['"]/.test(node.parent.parent.parent.getText())
  );
}

/** Returns tests, files that import test tools, and files that only these import. A file that only its own test imports does not count. */
function findTestSupport(files: readonly ParsedFile[]): ReadonlySet<string> {
  const isTest = ({ path, imports }: ParsedFile) =>
    path.endsWith('.test.ts') || /^test(ing)?\//.test(path) || imports.some((each) => TEST_TOOLS.includes(each));
  const forTests = new Set(files.filter(isTest).map(({ path }) => path));
  const edges = files.flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })));
  const importers = Map.groupBy(edges, ({ imported }) => imported);
  for (let size = -1; size !== forTests.size;) {
    size = forTests.size;
    for (const [imported, by] of importers) {
      const others = by.filter(({ path }) => path !== imported.replace(/\.ts$/, '.test.ts'));
      if (others.length > 0 && others.every(({ path }) => forTests.has(path))) forTests.add(imported);
    }
  }
  return forTests;
}
