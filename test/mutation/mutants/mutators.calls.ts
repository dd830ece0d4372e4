import ts from 'typescript'

/** One small change of a program: the text that replaces a node. */
export interface Change {
  kind: string
  /** What stands there instead, as a whole expression or statement. */
  text: string
}

/** Methods whose call is left out: the value goes on as it was. */
const removableMethods = new Set([
  'trim',
  'toLowerCase',
  'toUpperCase',
  'normalize',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'filter',
  'slice',
  'where',
  'andWhere',
  'whereNull',
  'whereNotNull',
  'whereIn',
  'whereRaw',
  'orderBy',
  'forUpdate',
  'skipLocked',
  'onConflict',
])

const oppositeMethods: Readonly<Record<string, string>> = {
  every: 'some',
  some: 'every',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
}

/** Lists the changes of a method call: it is left out, or the opposite method is called. */
export function listChainedCallChanges(node: ts.CallExpression): Change[] {
  const called = node.expression
  if (!ts.isPropertyAccessExpression(called)) return []
  const { text: name } = called.name
  const object = called.expression.getText()
  if (removableMethods.has(name)) return [{ kind: 'call', text: object }]
  const opposite = Object.hasOwn(oppositeMethods, name) ? oppositeMethods[name] : undefined
  if (opposite === undefined) return []
  const rest = node.getText().slice(called.getText().length)
  return [{ kind: 'call', text: `${object}.${opposite}${rest}` }]
}

/** Returns whether a call only writes to the log: no test has to notice what the log says. */
export const isLogCall = (node: ts.CallExpression): boolean =>
  /(^|\.)log\??\.(trace|debug|info|warn|error|fatal)$/.test(node.expression.getText())

/** Returns whether a text is a code, a header, a column or another word that programs read, and no sentence. */
export function isMutableText(node: ts.StringLiteral): boolean {
  const { parent } = node
  if (!/^[A-Za-z][\w.:/+-]+$/.test(node.text)) return false
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isTypeNode(parent)) return false
  const isTypeName =
    ts.isBinaryExpression(parent) && (ts.isTypeOfExpression(parent.left) || ts.isTypeOfExpression(parent.right))
  const isImported = ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword
  return !isTypeName && !isImported
}

/** Returns whether other changes already concern the whole value. */
export const isFlagOrCode = (node: ts.Expression): boolean =>
  node.kind === ts.SyntaxKind.TrueKeyword
  || node.kind === ts.SyntaxKind.FalseKeyword
  || (ts.isStringLiteral(node) && isMutableText(node))
