import ts from 'typescript'
import { isFlagOrCode, isLogCall, isMutableText, listChainedCallChanges, type Change } from './mutators.calls.ts'

const comparisons: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [ts.SyntaxKind.LessThanToken]: ['<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<'],
  [ts.SyntaxKind.GreaterThanToken]: ['>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
}

const calculations: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [ts.SyntaxKind.PlusToken]: ['-'],
  [ts.SyntaxKind.MinusToken]: ['+'],
  [ts.SyntaxKind.AsteriskToken]: ['/'],
  [ts.SyntaxKind.SlashToken]: ['*'],
  [ts.SyntaxKind.PercentToken]: ['*'],
  [ts.SyntaxKind.AmpersandAmpersandToken]: ['||'],
  [ts.SyntaxKind.BarBarToken]: ['&&'],
}

/** Lists the changes of a node that is used as an expression. */
export function listExpressionChanges(node: ts.Expression): Change[] {
  if (ts.isBinaryExpression(node)) return listBinaryChanges(node)
  if (ts.isConditionalExpression(node)) return listBranchChanges(node)
  if (ts.isPrefixUnaryExpression(node)) return listUnaryChanges(node)
  if (ts.isPostfixUnaryExpression(node)) return listUnaryChanges(node)
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ kind: 'boolean', text: 'false' }]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ kind: 'boolean', text: 'true' }]
  if (ts.isStringLiteral(node)) return isMutableText(node) ? [{ kind: 'text', text: `''` }] : []
  if (ts.isCallExpression(node)) return [...listChainedCallChanges(node), ...listChainChanges(node)]
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) return listChainChanges(node)
  return []
}

/** Lists the changes of a statement: it is removed, returns nothing, is not awaited, or has another condition. */
export function listStatementChanges(node: ts.Statement): Change[] {
  if (ts.isThrowStatement(node)) return [{ kind: 'statement', text: ';' }]
  if (ts.isExpressionStatement(node)) return listRemovals(node.expression)
  if (ts.isReturnStatement(node)) return node.expression ? listReturnChanges(node.expression, 'return undefined') : []
  return []
}

/** Lists the changes of the expression that an arrow function returns. */
export const listArrowBodyChanges = (body: ts.Expression) => listReturnChanges(body, 'undefined')

/** Lists the changes of a condition: it always holds, and it never holds. A loop never runs without end. */
export function listConditionChanges(condition: ts.Expression): Change[] {
  const { parent } = condition
  const isLoop = !ts.isIfStatement(parent) && !ts.isConditionalExpression(parent)
  if (condition.kind === ts.SyntaxKind.TrueKeyword) return []
  return [...(isLoop ? [] : [{ kind: 'condition', text: 'true' }]), { kind: 'condition', text: 'false' }]
}

const textOf = (node: ts.Node) => node.getText()

function listBinaryChanges({ left, operatorToken, right }: ts.BinaryExpression): Change[] {
  const others = comparisons[operatorToken.kind] ?? calculations[operatorToken.kind] ?? []
  const kind = comparisons[operatorToken.kind] ? 'comparison' : 'operator'
  const changes = others.map((operator) => ({ kind, text: `(${textOf(left)}) ${operator} (${textOf(right)})` }))
  if (operatorToken.kind !== ts.SyntaxKind.QuestionQuestionToken) return changes
  return [{ kind: 'default', text: textOf(left) }]
}

const listBranchChanges = ({ whenTrue, whenFalse }: ts.ConditionalExpression): Change[] =>
  textOf(whenTrue) === textOf(whenFalse)
    ? []
    : [
        { kind: 'condition', text: textOf(whenTrue) },
        { kind: 'condition', text: textOf(whenFalse) },
      ]

function listUnaryChanges({ operator, operand }: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Change[] {
  const text = textOf(operand)
  if (operator === ts.SyntaxKind.ExclamationToken) return [{ kind: 'negation', text }]
  if (operator === ts.SyntaxKind.PlusPlusToken) return [{ kind: 'operator', text: `${text}--` }]
  if (operator === ts.SyntaxKind.MinusMinusToken) return [{ kind: 'operator', text: `${text}++` }]
  return operator === ts.SyntaxKind.MinusToken ? [{ kind: 'operator', text }] : []
}

/** Lists the changes of a chain with `?.`: each of its marks is removed. */
function listChainChanges(node: ts.Expression): Change[] {
  const marks: ts.Node[] = []
  for (let link: ts.Node = node; ts.isOptionalChain(link); link = link.expression)
    if (!ts.isNonNullChain(link) && link.questionDotToken) marks.push(link.questionDotToken)
  const [start, source] = [node.getStart(), node.getSourceFile().text]
  return marks.map((mark) => {
    const rest = source.slice(mark.end, node.end)
    const dot = /^\s*[([]/.test(rest) ? '' : '.'
    return { kind: 'chain', text: `${source.slice(start, mark.getStart())}${dot}${rest}` }
  })
}

function listRemovals(expression: ts.Expression): Change[] {
  const inner = ts.isAwaitExpression(expression) ? expression.expression : expression
  if (ts.isCallExpression(inner) && (inner.expression.kind === ts.SyntaxKind.SuperKeyword || isLogCall(inner)))
    return []
  const removed = { kind: 'statement', text: ';' }
  return inner === expression ? [removed] : [removed, { kind: 'await', text: `{ ${textOf(inner)} }` }]
}

function listReturnChanges(expression: ts.Expression, text: string): Change[] {
  const isTrivial = isFlagOrCode(expression) || ts.isVoidExpression(expression) || isNothing(expression)
  return isTrivial ? [] : [{ kind: 'return', text }]
}

const isNothing = (node: ts.Expression) =>
  node.kind === ts.SyntaxKind.NullKeyword || (ts.isIdentifier(node) && node.text === 'undefined')
