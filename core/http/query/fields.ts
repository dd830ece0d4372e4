import { hash } from 'node:crypto'
import type { OperationDeclaration } from '../../kernel/operation.ts'
import type { TSchema } from '../../kernel/schema.ts'
import { askForNearest } from '../../kernel/text/nearest.ts'
import type { IssueCollector } from '../problems/issue-collector.ts'
import type { QueryParameter } from './parameters.ts'

/** Name of the query parameter that selects the members of an answer. */
export const fieldsParameterName = 'fields'

export const fieldsLimits = { members: 50, depth: 6, nameLength: 100 } as const

/** The selected members of an object, each with those selected below it; null selects all that is below. */
export type Selection = ReadonlyMap<string, Selection | null>

/** The members that a value can have by its schema. */
interface MemberTree {
  members: Map<string, MemberTree>
  /** Whether callers choose the members, so that any name below may be selected. */
  isFreeForm: boolean
}

type JsonSchema = Partial<
  Record<'anyOf' | 'allOf' | 'oneOf', JsonSchema[]> & {
    type: string
    items: JsonSchema
    properties: Record<string, JsonSchema>
    patternProperties: object
    additionalProperties: unknown
    enum: unknown[]
    const: unknown
  }
>

/**
 * Returns the schema of the entity whose members `fields` selects: the row of a list, or the answer of an operation that
 * declares `selectsFields`. Null for an operation without `fields`.
 */
export function getSelectableSchema({ list, transport, returns }: OperationDeclaration): TSchema | null {
  if (list?.rowSchema) return list.rowSchema
  return transport.selectsFields ? (returns[200] as TSchema) : null
}

/** Creates the tree of the members of a schema. A union has the members of all its branches; a list those of its items. */
function createMemberTree(schema: JsonSchema): MemberTree {
  const tree: MemberTree = { members: new Map(), isFreeForm: false }
  addMembers(tree, schema)
  return tree
}

function addMembers(tree: MemberTree, schema: JsonSchema): void {
  const { anyOf, allOf, oneOf, items, properties, patternProperties, additionalProperties } = schema
  const branches = [...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? []), ...(items ? [items] : [])]
  for (const branch of branches) addMembers(tree, branch)
  for (const [name, member] of Object.entries(properties ?? {})) {
    const known = tree.members.get(name)
    if (known) addMembers(known, member)
    else tree.members.set(name, createMemberTree(member))
  }
  const isAnyValue =
    schema.type === undefined && branches.length === 0 && schema.enum === undefined && schema.const === undefined
  const isOpenObject =
    schema.type === 'object'
    && (patternProperties !== undefined
      || (additionalProperties !== undefined && additionalProperties !== false)
      || properties === undefined)
  if (isAnyValue || isOpenObject) tree.isFreeForm = true
}

/** Parses the parameter `fields`, whose issues are added to `issues`; null if it was not sent. */
export type FieldsParser = (parameters: readonly QueryParameter[], issues: IssueCollector) => Selection | null

/**
 * Creates the parser of `fields` for an entity. @throws Error if the entity has no `id`, which every selection includes
 */
export function createFieldsParser(schema: TSchema): FieldsParser {
  const tree = createMemberTree(schema as JsonSchema)
  if (!tree.members.has('id')) throw new Error('The members of an entity without id cannot be selected')
  let knownPaths: string[] | undefined
  const getKnownPaths = () => (knownPaths ??= listPaths(tree))
  return (parameters, issues) => {
    if (parameters.length === 0) return null
    const paths = new Set(parameters.flatMap(({ value }) => value.split(',')).map((path) => path.trim()))
    const addIssue = (code: string, message: string) =>
      issues.add('INVALID_REQUEST', { path: fieldsParameterName, code, message })
    if (paths.size > fieldsLimits.members) {
      addIssue('max_items', `names more than ${fieldsLimits.members} members`)
      return null
    }
    for (const path of paths) {
      const fault = findFault(tree, path, getKnownPaths)
      if (fault) addIssue(fault.code, fault.message)
    }
    return createSelection(['id', ...paths])
  }
}

/** Lists the dotted paths of the known members, those of the first level first. */
function listPaths({ members }: MemberTree, depth = 1): string[] {
  if (depth > fieldsLimits.depth) return []
  const below = [...members].flatMap(([name, tree]) => listPaths(tree, depth + 1).map((path) => `${name}.${path}`))
  return [...members.keys(), ...below]
}

function findFault(
  tree: MemberTree,
  path: string,
  getKnownPaths: () => readonly string[],
): { code: string; message: string } | null {
  const names = path.split('.')
  if (names.length > fieldsLimits.depth)
    return { code: 'too_deep', message: `names a member below more than ${fieldsLimits.depth - 1} others` }
  if (names.some((name) => name === '' || name.length > fieldsLimits.nameLength))
    return { code: 'malformed', message: 'must be dotted names of members, separated by commas: id,product.name' }
  let at: MemberTree | undefined = tree
  for (const name of names) {
    const next: MemberTree | undefined = at.members.get(name)
    if (!next && at.isFreeForm) return null
    if (!next) {
      const question = askForNearest(getKnownPaths(), path, 3)
      const hint = question === '' ? `; its members are ${[...tree.members.keys()].join(', ')}` : question
      return { code: 'unknown_member', message: `names "${path}", which is no member of the answer${hint}` }
    }
    at = next
  }
  return null
}

/** Creates the selection of some paths. A member that is selected as a whole stays whole. */
function createSelection(paths: readonly string[]): Selection {
  const root = new Map<string, Selection | null>()
  for (const path of paths) {
    const names = path.split('.')
    let branch: Map<string, Selection | null> | null = root
    for (const [at, name] of names.entries()) {
      const isLast = at === names.length - 1
      const known: Selection | null | undefined = branch.get(name)
      if (known === null) break
      const next: Map<string, Selection | null> | null = isLast ? null : new Map(known)
      branch.set(name, next)
      if (next === null) break
      branch = next
    }
  }
  return root
}

/**
 * Returns the selected members of a value, in the order of the value. It goes through the items of a list; null stays
 * null. Members that the value does not have are left out, so a selection never shows more than the value does.
 */
export function selectMembers(value: unknown, selection: Selection): unknown {
  if (value === null) return null
  if (Array.isArray(value))
    return value.map((item) => selectMembers(item, selection)).filter((item) => item !== undefined)
  if (typeof value !== 'object') return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const below = selection.get(name)
      if (below === undefined) return []
      const selected: unknown = below === null ? member : selectMembers(member, below)
      return selected === undefined ? [] : [[name, selected]]
    }),
  )
}

/** Creates a short text that tells selections apart, whatever the order in which their members were named. */
export function hashSelection(selection: Selection): string {
  const formatSelection = (one: Selection): string =>
    [...one]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, below]) => (below === null ? name : `${name}(${formatSelection(below)})`))
      .join(',')
  return hash('sha256', formatSelection(selection), 'base64url').slice(0, 8)
}
