import ts from 'typescript'
import { readSource } from '../source-files.ts'

/** A place in the product that names a table in SQL, with a query builder or through a model. */
export interface TableUse {
  file: string
  table: string
  kind: UseKind
}

/** What a statement does with a table; an insert is told apart, as stores insert events. */
type UseKind = 'read' | 'write' | 'insert'

/** Functions of query builders whose first argument is the name of a table. */
const builderCalls = new Set([
  'trx',
  'db',
  'knex',
  'from',
  'into',
  'table',
  'join',
  'leftJoin',
  'innerJoin',
  'rightJoin',
])

const clause =
  /\b(delete from|from|join|into|update|using|copy|truncate|lock table)\s+(?:only\s+)?(?:public\.)?((?:signer\.)?[a-z_]+)\b/gi
const kindsByClause: Record<string, UseKind> = {
  'delete from': 'write',
  update: 'write',
  truncate: 'write',
  into: 'insert',
  copy: 'insert',
}
const kindsByCall: Record<string, UseKind> = {
  insert: 'insert',
  update: 'write',
  patch: 'write',
  delete: 'write',
  del: 'write',
}

/** Lists the tables that the text of a statement names. */
function listTablesOfSql(text: string, tables: ReadonlySet<string>): Omit<TableUse, 'file'>[] {
  if (!/\b(select|insert|update|delete|with|join|exists|truncate|copy|lock)\b/i.test(text)) return []
  return [...text.matchAll(clause)]
    .map(([, word = '', table = '']) => ({ table, kind: kindsByClause[word.toLowerCase()] ?? 'read' }))
    .filter(({ table }) => tables.has(table))
}

/** Lists the tables that a file names. @param tablesByModel the tables of the model classes, by their names */
export function listTableUses(
  file: string,
  tables: ReadonlySet<string>,
  tablesByModel: ReadonlyMap<string, string>,
): TableUse[] {
  const source = ts.createSourceFile(file, readSource(file), ts.ScriptTarget.Latest, true)
  const models = listModelsByLocalName(source, tablesByModel)
  const uses: TableUse[] = []
  const add = (table: string, kind: UseKind) => uses.push({ file, table, kind })
  const visit = (node: ts.Node) => {
    if (ts.isTemplateExpression(node) || ts.isStringLiteralLike(node))
      for (const { table, kind } of listTablesOfSql(node.getText(), tables)) add(table, kind)
    if (ts.isCallExpression(node)) {
      const call = describeCall(node)
      const [table = ''] = call.firstText.split(' ')
      if (builderCalls.has(call.name) && tables.has(table)) add(table, getKindOfChain(node))
      const model = call.name === 'query' && call.target !== undefined ? models.get(call.target) : undefined
      if (model !== undefined) add(model, getKindOfChain(node))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return uses
}

function describeCall({ expression, arguments: [first] }: ts.CallExpression) {
  const callee = ts.isPropertyAccessExpression(expression) ? expression.name : expression
  const target = ts.isPropertyAccessExpression(expression) ? expression.expression : undefined
  return {
    name: ts.isIdentifier(callee) ? callee.text : '',
    target: target && ts.isIdentifier(target) ? target.text : undefined,
    firstText: first && ts.isStringLiteralLike(first) ? first.text : '',
  }
}

/** Returns what the calls after this one do with the table: `.where(…).update(…)` writes it. */
function getKindOfChain(node: ts.Node): UseKind {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return kindsByCall[parent.name.text] ?? getKindOfChain(parent)
  return ts.isCallExpression(parent) && parent.expression === node ? getKindOfChain(parent) : 'read'
}

/** Maps the names that a file has for model classes, its own or imported ones, to their tables. */
function listModelsByLocalName(
  source: ts.SourceFile,
  tablesByModel: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const statement of source.statements) {
    if (ts.isClassDeclaration(statement) && statement.name) {
      const table = tablesByModel.get(statement.name.text)
      if (table !== undefined) found.set(statement.name.text, table)
    }
    const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined
    if (!bindings || !ts.isNamedImports(bindings)) continue
    for (const { name, propertyName } of bindings.elements) {
      const table = tablesByModel.get((propertyName ?? name).text)
      if (table !== undefined) found.set(name.text, table)
    }
  }
  return found
}

/** Maps each model class of the product to its table. */
export function listModels(files: readonly string[]): ReadonlyMap<string, string> {
  const found = files.flatMap((file) =>
    [
      ...readSource(file).matchAll(
        /class (\w+) extends \w+ \{(?:(?!\nclass)[^])*?static override tableName = '(\w+)'/g,
      ),
    ].map(([, name = '', table = '']) => [name, table] as const),
  )
  return new Map(found)
}
