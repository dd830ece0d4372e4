import { fileURLToPath } from 'node:url'
import { readdirSync } from 'node:fs'
import { operations } from '../../../core/app/operations.ts'
import type { OperationDeclaration } from '../../../core/kernel/operation.ts'
import { readCallGraph, type CallGraph } from './calls.ts'

/** Functions that more operations than these call are tools of an area, and say nothing about one operation. */
const maxSiblings = 2
/** The frame of every page. What it calls is shown everywhere, and no page is the place of it. */
const framePattern = /\/pages\/console\/(console|frame\/frame)\.ts#/

export interface OperationPlace {
  operation: string
  /** The functions of features that make the operation, and hardly any other one. */
  functions: readonly string[]
  /** The pages of the console that call one of these functions. */
  pages: readonly string[]
}

const declarations = operations.map(({ declaration }) => declaration)

/** The pages of the console. */
export const consolePages: readonly OperationDeclaration[] = declarations.filter(({ path }) =>
  /^\/console(\/|$)/.test(path),
)

/**
 * The operations of the document that a member can call: not those of buyers alone, nor those that another system signs.
 */
export const memberOperations: readonly OperationDeclaration[] = declarations.filter(
  ({ access, transport, document }) =>
    !transport.page && !document.isHidden && access.rule !== 'endUser' && !access.isSigned,
)

const getFile = (key: string) => key.slice(0, key.indexOf('#'))
const getName = (key: string) => key.slice(key.indexOf('#') + 1)

/** Reads the code of features and pages. */
function readOwnCalls(): CallGraph {
  const root = fileURLToPath(new URL('../../../core/', import.meta.url))
  const folders = ['features', 'pages', 'queue']
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
      .map((name) => `${root}${folder}/${name}`),
  )
  return readCallGraph(files)
}

function getDeclarationKey(calls: CallGraph, { id }: OperationDeclaration): string {
  const key = calls.findByLiteral(id)
  if (key === undefined) throw new Error(`No declaration in the code of features or pages names ${id}`)
  return key
}

/** The functions that a handler calls, with what helpers in its own file call. */
function listHandlerCalls(calls: CallGraph, declaration: OperationDeclaration): Set<string> {
  const key = getDeclarationKey(calls, declaration)
  const local = new Set([key])
  const found = new Set<string>()
  for (const one of local)
    for (const used of calls.getUses(one)) {
      if (getFile(used) === getFile(key)) local.add(used)
      if (calls.isFunction(used)) found.add(used)
    }
  return found
}

/** The functions outside the pages that the code of a page calls, its views and the steps it shares included. */
function listPageCalls(calls: CallGraph, page: OperationDeclaration): Set<string> {
  const reached = new Set([getDeclarationKey(calls, page)])
  const found = new Set<string>()
  for (const one of reached)
    for (const used of calls.getUses(one)) {
      if (!used.includes('/pages/')) found.add(used)
      else if (!framePattern.test(used)) reached.add(used)
    }
  return found
}

/**
 * Finds where each operation of a member has its place in the console. An operation is known by the functions that its
 * handler calls and hardly any other operation does; its places are the pages whose code calls one of them. The place of
 * a change is a page that takes a form, and the function is one that changes something.
 */
export function findPlaces(): OperationPlace[] {
  const calls = readOwnCalls()
  const handlerCalls = new Map(
    declarations
      .filter(({ transport }) => !transport.page)
      .map((declaration) => [declaration.id, listHandlerCalls(calls, declaration)]),
  )
  const callerCounts = new Map<string, number>()
  for (const keys of handlerCalls.values())
    for (const key of keys) callerCounts.set(key, (callerCounts.get(key) ?? 0) + 1)
  const pages = consolePages.map((page) => ({ page, called: listPageCalls(calls, page) }))
  return memberOperations.map(({ id, method, document }) => {
    const isChange = method !== 'GET' && document.mcpHints?.readOnlyHint !== true
    const functions = [...(handlerCalls.get(id) ?? [])].filter(
      (key) => (callerCounts.get(key) ?? 0) <= maxSiblings && (!isChange || calls.reachesWrite(key)),
    )
    const places = pages
      .filter(({ page, called }) => (!isChange || page.method !== 'GET') && functions.some((key) => called.has(key)))
      .map(({ page }) => page.id)
    return { operation: id, functions: functions.map(getName), pages: places }
  })
}
