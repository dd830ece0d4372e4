import ts from 'typescript'
import { listArrowBodyChanges, listConditionChanges, listExpressionChanges, listStatementChanges } from './mutators.ts'
import { isLogCall, type Change } from './mutators.calls.ts'

/** One change of one place of the product. */
export interface Mutant {
  id: number
  /** Path from the root of the repository. */
  file: string
  line: number
  column: number
  /** The function around it, or '' outside of functions. */
  within: string
  kind: string
  original: string
  mutated: string
  /** Its place, from 1, among the mutants of its function with the same original and mutated text. */
  nth: number
  /** Whether the place runs only once, while its module is loaded. */
  isStatic: boolean
}

/** Name of the global function that says whether a mutant is active. */
export const switchName = '__isActiveMutant'

type Form = 'expression' | 'statement'

/**
 * Writes all mutants of a module into its source: each place asks at run time which of its variants counts, so that
 * processes change from one mutant to the next without being restarted.
 * @param firstId the id of the first mutant; the others follow
 */
export function instrumentModule(file: string, source: string, firstId: number) {
  const module = ts.createSourceFile(file, source, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []

  const addMutants = (node: ts.Node, changes: readonly Change[]) =>
    changes.map(({ kind, text }) => {
      const { line, character } = module.getLineAndCharacterOfPosition(node.getStart())
      const original = node.getText()
      const id = firstId + mutants.length
      const place = { file, line: line + 1, column: character + 1, ...describeSurroundings(node) }
      const same = mutants.filter(
        (other) => other.within === place.within && other.original === original && other.mutated === text,
      )
      mutants.push({ id, ...place, kind, original, mutated: text, nth: same.length + 1 })
      return { id, text }
    })

  const renderNode = (node: ts.Node): string => {
    const form = getForm(node)
    const variants = form === undefined ? [] : addMutants(node, listChanges(node, form))
    let text = ''
    let at = node.getStart()
    for (const child of listChildren(node)) {
      text += source.slice(at, child.getStart()) + renderNode(child)
      at = child.end
    }
    text += source.slice(at, node.end)
    return variants.length === 0 ? text : wrapVariants(text, variants, form)
  }

  const text = source.slice(0, module.getStart()) + renderNode(module) + source.slice(module.end)
  return { text, mutants }
}

function wrapVariants(text: string, variants: readonly { id: number; text: string }[], form: Form | undefined): string {
  const test = (id: number) => `globalThis.${switchName}(${id})`
  if (form === 'statement')
    return `{ ${variants.map(({ id, text: variant }) => `if (${test(id)}) { ${variant} } else `).join('')}{ ${text} } }`
  return `(${variants.map(({ id, text: variant }) => `${test(id)} ? (${variant}) : `).join('')}(${text}))`
}

const listChanges = (node: ts.Node, form: Form): Change[] =>
  form === 'statement'
    ? listStatementChanges(node as ts.Statement)
    : [
        ...(isCondition(node) ? listConditionChanges(node as ts.Expression) : []),
        ...(isArrowBody(node) ? listArrowBodyChanges(node as ts.Expression) : []),
        ...listExpressionChanges(node as ts.Expression),
      ]

/** Returns how variants of a node are written, or undefined if the node cannot have variants. */
function getForm(node: ts.Node): Form | undefined {
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node) || ts.isReturnStatement(node)) return 'statement'
  return ts.isExpression(node) && isValue(node) ? 'expression' : undefined
}

/** Returns whether the node only gives a value: no place is assigned, and no chain or call goes on with it. */
function isValue(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isExpressionStatement(parent) || ts.isDeleteExpression(parent) || ts.isTypeOfExpression(parent)) return false
  if (ts.isOptionalChain(parent) && parent.expression === node) return false
  if (ts.isCallExpression(parent) && parent.expression === node) return false
  if (ts.isNonNullExpression(parent) || isKey(node)) return false
  return !(ts.isAwaitExpression(parent) && ts.isExpressionStatement(parent.parent))
}

const isKey = (node: ts.Node) =>
  ('name' in node.parent && node.parent.name === node)
  || ('propertyName' in node.parent && node.parent.propertyName === node)

function isCondition(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isIfStatement(parent) || ts.isWhileStatement(parent) || ts.isDoStatement(parent))
    return parent.expression === node
  return ts.isForStatement(parent) && parent.condition === node
}

const isArrowBody = (node: ts.Node) => ts.isArrowFunction(node.parent) && node.parent.body === node

/** Lists the children in which mutants may stand: no types, no imports, no log lines, no targets of assignments. */
function listChildren(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    if (!isLeftOut(child, node)) children.push(child)
  })
  return children.sort((a, b) => a.getStart() - b.getStart())
}

function isLeftOut(child: ts.Node, parent: ts.Node): boolean {
  if (ts.isTypeNode(child) || ts.isInterfaceDeclaration(child) || ts.isTypeAliasDeclaration(child)) return true
  if (ts.isImportDeclaration(child) || ts.isExportDeclaration(child) || ts.isTypeParameterDeclaration(child))
    return true
  if (ts.isCallExpression(child) && isLogCall(child)) return true
  if (ts.isBinaryExpression(parent) && isAssignment(parent.operatorToken.kind)) return parent.left === child
  return child.kind === ts.SyntaxKind.EndOfFileToken || (ts.isToken(child) && !ts.isExpression(child))
}

const isAssignment = (kind: ts.SyntaxKind) =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment

function describeSurroundings(node: ts.Node): { within: string; isStatic: boolean } {
  let within = ''
  let isStatic = true
  for (let outer = node.parent; !ts.isSourceFile(outer); outer = outer.parent) {
    if (ts.isFunctionLike(outer)) isStatic = false
    const name = getDeclaredName(outer)
    if (name !== undefined && within === '') within = name
  }
  return { within, isStatic }
}

function getDeclaredName(node: ts.Node): string | undefined {
  const isNamed = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isVariableDeclaration(node)
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  return isNamed ? node.name?.getText() : undefined
}
