import { problem } from '../kernel/problem.ts'

/** One `name=value` of a query string. `filters[status][eq]` has the root `filters` and the steps `status` and `eq`. */
export interface Parameter {
  name: string
  root: string
  steps: readonly string[]
  value: string
}

const most = 500
const mostSteps = 24
const bracketed = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

const refuse = (message: string) => problem('INVALID_REQUEST', `The query string ${message}.`, { path: 'query' })

/**
 * The parameters in the order they were sent; `+` is a space. Source: WHATWG URL, section 5.1, but strict: what does not
 * decode to text is refused. @throws INVALID_REQUEST
 */
export function parseQuery(text: string): Parameter[] {
  if (text === '') return []
  const parts = text.split('&').filter((part) => part !== '')
  if (parts.length > most) throw refuse(`has more than ${most} parameters`)
  return parts.map(readParameter)
}

function readParameter(part: string): Parameter {
  const at = part.indexOf('=')
  const name = decode(at < 0 ? part : part.slice(0, at))
  const value = at < 0 ? '' : decode(part.slice(at + 1))
  const [, root = name, brackets = ''] = bracketed.exec(name) ?? []
  const steps = brackets === '' ? [] : brackets.slice(1, -1).split('][')
  if (steps.length > mostSteps) throw refuse('nests too deep')
  return { name, root, steps, value }
}

function decode(text: string): string {
  if (!/^[\x21-\x7e]*$/.test(text)) throw refuse('has a character that has to be percent-encoded')
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw problem('INVALID_REQUEST', 'The query string is not percent-encoded UTF-8.', { path: 'query', cause })
  }
  if (decoded.includes('\0')) throw refuse('has a character that is not text')
  return decoded
}

/** Parameters by name; one that was sent twice has both values, which no schema of a single value takes. */
export function plainOf(parameters: readonly Parameter[]): Record<string, string | string[]> {
  const plain = Object.create(null) as Record<string, string | string[]>
  for (const { name, value } of parameters) {
    const known = plain[name]
    plain[name] = known === undefined ? value : [known, value].flat()
  }
  return plain
}

/** The values given to one name; more than one when it is repeated. */
export class Given {
  readonly values: string[] = []
}

/** What brackets build: names that lead to more names, or to values. */
export type Tree = Map<string, Tree | Given>

/**
 * The parameters of one root: texts without brackets, and the tree of those with brackets.
 * @param torn hears the path of a name that has both a value and names below it
 */
export function treeOf(
  parameters: readonly Parameter[],
  torn: (path: string) => void,
): { texts: string[]; tree: Tree } {
  const texts: string[] = []
  const tree: Tree = new Map()
  for (const { name, steps, value } of parameters) {
    if (steps.length === 0) texts.push(value)
    else if (!plant(tree, steps, value)) torn(name)
  }
  return { texts, tree }
}

function plant(tree: Tree, steps: readonly string[], value: string): boolean {
  let branch = tree
  for (const step of steps.slice(0, -1)) {
    const next = branch.get(step) ?? new Map()
    if (next instanceof Given) return false
    branch.set(step, next)
    branch = next
  }
  const last = steps.at(-1) ?? ''
  const leaf = branch.get(last) ?? new Given()
  if (!(leaf instanceof Given)) return false
  branch.set(last, leaf)
  leaf.values.push(value)
  return true
}
