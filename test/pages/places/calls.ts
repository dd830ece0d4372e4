import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import ts from 'typescript'

/** A declaration at the top of a file, as `<file>#<name>`. */
type DeclarationKey = string

interface SourceModule {
  /** The declarations of the file itself, by name. */
  declarations: Map<string, { node: ts.Node; isFunction: boolean; isWrite: boolean }>
  /** Names that the file imports or passes on, each with the file and the name it has there. */
  origins: Map<string, { file: string; name: string }>
  /** Files of which everything is passed on. */
  passedOn: string[]
}

/** Which declarations of the code use which others, read from the syntax of its files. */
export interface CallGraph {
  /** The declarations that one uses, other than as a type. */
  getUses(key: DeclarationKey): ReadonlySet<DeclarationKey>
  /** Everything that a declaration reaches, itself included. */
  getReach(key: DeclarationKey): ReadonlySet<DeclarationKey>
  isFunction(key: DeclarationKey): boolean
  /** Whether a declaration comes to a statement that changes rows. */
  reachesWrite(key: DeclarationKey): boolean
  /** The declaration that has this text as a literal of its own, or undefined. */
  findByLiteral(text: string): DeclarationKey | undefined
}

/** Reads the files that these use, and theirs. @param files absolute paths of TypeScript files */
export function readCallGraph(files: readonly string[]): CallGraph {
  const modules = new Map<string, SourceModule>()
  const keysByLiteral = new Map<string, DeclarationKey>()
  const uses = new Map<DeclarationKey, ReadonlySet<DeclarationKey>>()
  const reaches = new Map<DeclarationKey, ReadonlySet<DeclarationKey>>()

  for (const file of files) modules.set(file, readModule(file))
  for (const [file, { declarations }] of modules)
    for (const [name, { node }] of declarations) {
      const ids = [...listLiterals(node)].filter((text) => text.endsWith('_v1'))
      // A list of many operations declares none of them.
      for (const id of ids) if (ids.length === 1 || !keysByLiteral.has(id)) keysByLiteral.set(id, `${file}#${name}`)
    }

  /** Follows imports and exports to the file that declares the name. */
  function findDeclaration(file: string, name: string): DeclarationKey | undefined {
    const found = modules.get(file)
    if (!found) return undefined
    if (found.declarations.has(name)) return `${file}#${name}`
    const origin = found.origins.get(name)
    if (origin) return findDeclaration(origin.file, origin.name)
    for (const other of found.passedOn) {
      const key = findDeclaration(other, name)
      if (key) return key
    }
    return undefined
  }

  function getDeclaration(key: DeclarationKey) {
    const [file = '', name = ''] = key.split('#')
    return { file, declaration: modules.get(file)?.declarations.get(name) }
  }

  function getUses(key: DeclarationKey): ReadonlySet<DeclarationKey> {
    const known = uses.get(key)
    if (known) return known
    const { file, declaration } = getDeclaration(key)
    const found = new Set<DeclarationKey>()
    if (declaration)
      for (const name of listUsedNames(declaration.node)) {
        const used = findDeclaration(file, name)
        if (used && used !== key) found.add(used)
      }
    uses.set(key, found)
    return found
  }

  function getReach(key: DeclarationKey): ReadonlySet<DeclarationKey> {
    const known = reaches.get(key)
    if (known) return known
    const reached = new Set([key])
    for (const one of reached) for (const used of getUses(one)) reached.add(used)
    reaches.set(key, reached)
    return reached
  }

  return {
    getUses,
    getReach,
    reachesWrite: (key) => [...getReach(key)].some((one) => getDeclaration(one).declaration?.isWrite ?? false),
    isFunction: (key) => getDeclaration(key).declaration?.isFunction ?? false,
    findByLiteral: (text) => keysByLiteral.get(text),
  }
}

function readModule(file: string): SourceModule {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const found: SourceModule = { declarations: new Map(), origins: new Map(), passedOn: [] }
  const resolveFile = (specifier: ts.Expression | undefined): string | undefined =>
    specifier && ts.isStringLiteral(specifier) && specifier.text.startsWith('.')
      ? resolve(dirname(file), specifier.text)
      : undefined
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImports(found, statement, resolveFile(statement.moduleSpecifier))
    else if (ts.isExportDeclaration(statement)) addExports(found, statement, resolveFile(statement.moduleSpecifier))
    else addDeclarations(found, statement, source.text)
  }
  return found
}

function addImports({ origins }: SourceModule, { importClause }: ts.ImportDeclaration, file: string | undefined): void {
  const bindings = importClause?.namedBindings
  if (file === undefined || !bindings || !ts.isNamedImports(bindings)) return
  for (const { name, propertyName } of bindings.elements)
    origins.set(name.text, { file, name: (propertyName ?? name).text })
}

function addExports(module: SourceModule, { exportClause }: ts.ExportDeclaration, file: string | undefined): void {
  if (file === undefined) return
  if (!exportClause) module.passedOn.push(file)
  else if (ts.isNamedExports(exportClause))
    for (const { name, propertyName } of exportClause.elements)
      module.origins.set(name.text, { file, name: (propertyName ?? name).text })
}

/** What changes rows: statements in SQL and of the query builder, and calls of the library for people and sessions. */
const writePattern =
  /\b(insert into|delete from|update \w+ set|update \?\?)\b|\.(insert|insertGraph|patch|update|delete|deleteById)\(|\bapi\.\w+\(/i

function addDeclarations({ declarations }: SourceModule, statement: ts.Statement, text: string): void {
  const add = (name: string, node: ts.Node, isFunction: boolean) =>
    declarations.set(name, { node, isFunction, isWrite: writePattern.test(text.slice(node.pos, node.end)) })
  if (ts.isVariableStatement(statement))
    for (const declaration of statement.declarationList.declarations) {
      const isFunction = declaration.initializer !== undefined && ts.isArrowFunction(declaration.initializer)
      for (const name of listBoundNames(declaration.name)) add(name, declaration, isFunction)
    }
  else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
    add(statement.name.text, statement, ts.isFunctionDeclaration(statement))
}

const listBoundNames = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? listBoundNames(element.name) : []))

/** The names that code uses as values: no types, no members of objects, no names of properties. */
function listUsedNames(root: ts.Node): Set<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node, parent: ts.Node | null): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isIdentifier(node) && !(parent && isMemberName(node, parent))) names.add(node.text)
    ts.forEachChild(node, (child) => visit(child, node))
  }
  visit(root, null)
  return names
}

const isMemberName = (name: ts.Identifier, parent: ts.Node): boolean =>
  (ts.isPropertyAccessExpression(parent) && parent.name === name)
  || (ts.isPropertyAssignment(parent) && parent.name === name)
  || ts.isBindingElement(parent)

function listLiterals(root: ts.Node): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node)) texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return texts
}
