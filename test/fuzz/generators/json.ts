/** Text that goes into a body as it stands: what no value of this language can say, as `1e400` or `-0`. */
export class Raw {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The members of an object in their order; a name may come twice, and `__proto__` is a name like any other. */
export class Members {
  readonly entries: readonly (readonly [string, Node])[]
  constructor(entries: readonly (readonly [string, Node])[]) {
    this.entries = entries
  }
}

export type Node = null | boolean | number | string | Raw | Members | readonly Node[]

/** A plain value as nodes. */
export function toNode(value: unknown): Node {
  if (value instanceof Raw || value instanceof Members) return value
  if (Array.isArray(value)) return value.map(toNode)
  if (typeof value !== 'object' || value === null) return value as Node
  return new Members(Object.entries(value).map(([name, member]) => [name, toNode(member)]))
}

export function formatNode(node: Node): string {
  if (node instanceof Raw) return node.text
  if (node instanceof Members)
    return `{${node.entries.map(([name, value]) => `${JSON.stringify(name)}:${formatNode(value)}`).join(',')}}`
  if (Array.isArray(node)) return `[${(node as readonly Node[]).map(formatNode).join(',')}]`
  return JSON.stringify(node)
}

/** The same tree with one node changed. A place that is not there changes nothing. */
export function changeNode(node: Node, place: readonly (string | number)[], change: (node: Node) => Node): Node {
  const [step, ...rest] = place
  if (step === undefined) return change(node)
  if (node instanceof Members)
    return new Members(
      node.entries.map(([name, value]) => [name, name === step ? changeNode(value, rest, change) : value] as const),
    )
  if (Array.isArray(node))
    return (node as readonly Node[]).map((value, at) => (at === step ? changeNode(value, rest, change) : value))
  return node
}

/** The same object without one member. */
export const withoutMember = (node: Node, name: string): Node =>
  node instanceof Members ? new Members(node.entries.filter(([own]) => own !== name)) : node

/** The same object with one member more, whether it has one of that name or not. */
export const withMember = (node: Node, name: string, value: Node): Node =>
  node instanceof Members ? new Members([...node.entries, [name, value]]) : node

/** Nesting of this depth, with nothing inside. */
export const createNestedText = (depth: number, [open, close]: readonly [string, string] = ['[', ']']): Raw =>
  new Raw(`${open.repeat(depth)}${open.endsWith(':') ? '1' : ''}${close.repeat(depth)}`)
