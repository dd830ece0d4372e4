import { createProblem } from '../../kernel/problem.ts'

/** One `name=value` of a query string. `filters[status][eq]` has the root `filters` and the steps `status` and `eq`. */
export interface QueryParameter {
  name: string
  root: string
  steps: readonly string[]
  value: string
}

const maxParameters = 500
const maxSteps = 24
const bracketPattern = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

const createQueryProblem = (message: string) =>
  createProblem('INVALID_REQUEST', `The query string ${message}.`, { path: 'query' })

/**
 * Parses a query string into its parameters, in their order; `+` is a space. Stricter than WHATWG URL, section 5.1:
 * what does not decode to text is refused. @throws INVALID_REQUEST
 */
export function parseQuery(text: string): QueryParameter[] {
  if (text === '') return []
  const parts = text.split('&').filter((part) => part !== '')
  if (parts.length > maxParameters) throw createQueryProblem(`has more than ${maxParameters} parameters`)
  return parts.map(parseParameter)
}

function parseParameter(part: string): QueryParameter {
  const at = part.indexOf('=')
  const name = decodeText(at < 0 ? part : part.slice(0, at))
  const value = at < 0 ? '' : decodeText(part.slice(at + 1))
  const [, root = name, brackets = ''] = bracketPattern.exec(name) ?? []
  const steps = brackets === '' ? [] : brackets.slice(1, -1).split('][')
  if (steps.length > maxSteps) throw createQueryProblem('nests too deep')
  return { name, root, steps, value }
}

function decodeText(text: string): string {
  if (!/^[\x21-\x7e]*$/.test(text)) throw createQueryProblem('has a character that has to be percent-encoded')
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw createProblem('INVALID_REQUEST', 'The query string is not percent-encoded UTF-8.', { path: 'query', cause })
  }
  if (decoded.includes('\0')) throw createQueryProblem('has a character that is not text')
  return decoded
}

/**
 * Returns the parameters by name. A repeated parameter has an array of values, which a schema of a single value
 * rejects.
 */
export function toPlainParameters(parameters: readonly QueryParameter[]): Record<string, string | string[]> {
  const plain = Object.create(null) as Record<string, string | string[]>
  for (const { name, value } of parameters) {
    const knownValue = plain[name]
    plain[name] = knownValue === undefined ? value : [knownValue, value].flat()
  }
  return plain
}

/** The values of one name; several if the name is repeated. */
export class ParameterValues {
  readonly values: string[] = []
}

/** The tree that bracket notation describes: names that lead to further names or to values. */
export type ParameterTree = Map<string, ParameterTree | ParameterValues>

/**
 * Creates the tree of the parameters of one root with brackets, and the list of its texts without brackets.
 * @param onConflict called with the path of a name that has both a value and names below it
 */
export function createParameterTree(
  parameters: readonly QueryParameter[],
  onConflict: (path: string) => void,
): { texts: string[]; tree: ParameterTree } {
  const texts: string[] = []
  const tree: ParameterTree = new Map()
  for (const { name, steps, value } of parameters) {
    if (steps.length === 0) texts.push(value)
    else if (!insertValue(tree, steps, value)) onConflict(name)
  }
  return { texts, tree }
}

function insertValue(tree: ParameterTree, steps: readonly string[], value: string): boolean {
  let branch = tree
  for (const step of steps.slice(0, -1)) {
    const next = branch.get(step) ?? new Map()
    if (next instanceof ParameterValues) return false
    branch.set(step, next)
    branch = next
  }
  const last = steps.at(-1) ?? ''
  const leaf = branch.get(last) ?? new ParameterValues()
  if (!(leaf instanceof ParameterValues)) return false
  branch.set(last, leaf)
  leaf.values.push(value)
  return true
}
