import type { Caller } from '../../../kernel/caller.ts'
import type { Operation, RequestDetails } from '../../../kernel/operation.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import { isSignInFresh } from '../../../features/identity/index.ts'
import { freeForms, guardedForms, type GuardedForm, type SentFields } from './acts.ts'
import { askToSignInAgain, redirectToSignInAgain } from './again.ts'

/** What the handlers of pages get, as far as the guard reads it. */
interface PageInput {
  caller: Caller
  request: RequestDetails
  body?: SentFields
  work?: Work
  context?: Context
}

const getContext = ({ work, context }: PageInput): Context => {
  const found = context ?? work?.context
  if (!found) throw new Error('A page is handled without its context')
  return found
}

const isStale = async (input: PageInput): Promise<boolean> =>
  input.caller.kind === 'member' && !(await isSignInFresh(getContext(input).db, input.caller))

/** Returns the operation with another handler, which gets the input and may call the operation's own. */
const replaceHandler = (
  operation: Operation,
  handle: (input: PageInput, next: () => Promise<unknown>) => Promise<unknown>,
): Operation => ({
  ...operation,
  handle: (input: never) => handle(input, () => operation.handle(input)),
})

/** Leads to the question for a code before the page is shown. */
const guardQuestion = (operation: Operation): Operation =>
  replaceHandler(operation, async (input, next) =>
    (await isStale(input)) ? redirectToSignInAgain(input.request.target) : next(),
  )

/** Answers the question for a code, which keeps the fields, instead of doing what the form asks. */
const guardForm = (operation: Operation, { does }: GuardedForm): Operation =>
  replaceHandler(operation, async (input, next) => {
    const { caller, request, body = {} } = input
    if (caller.kind !== 'member' || does?.(body) === false || !(await isStale(input))) return next()
    return askToSignInAgain({ caller, request, context: getContext(input) }, body)
  })

/** Whether an operation is a form of the console. */
export const isConsoleForm = ({ declaration: { method, transport } }: Operation): boolean =>
  method !== 'GET' && transport.page === 'member'

/**
 * Makes the forms that cannot be undone, or that move money, ask for a fresh code, and the questions before them too.
 * @throws Error for a form that neither list of `acts.ts` names, and for a name in them that no operation has
 */
export function guardPages(operations: readonly Operation[]): Operation[] {
  const ids = new Set(operations.map(({ declaration }) => declaration.id))
  const questions = new Set(Object.values(guardedForms).flatMap(({ question }) => question ?? []))
  for (const id of [...Object.keys(guardedForms), ...freeForms, ...questions])
    if (!ids.has(id)) throw new Error(`The forms of the console have no ${id}`)
  return operations.map((operation) => {
    const { id } = operation.declaration
    if (questions.has(id)) return guardQuestion(operation)
    if (!isConsoleForm(operation)) return operation
    const guarded = guardedForms[id]
    if ((guarded === undefined) !== freeForms.has(id))
      throw new Error(`${id} has to be in one of the two lists of forms: with a fresh code, or without`)
    return guarded ? guardForm(operation, guarded) : operation
  })
}
