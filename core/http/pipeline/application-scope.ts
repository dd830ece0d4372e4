import type { Caller, KeyCaller } from '../../kernel/caller.ts'
import { isObject } from '../../kernel/json/values.ts'
import type { ApplicationScope, OperationDeclaration, ScopedEntity } from '../../kernel/operation.ts'
import { scopePath, type FilterGroup } from '../../kernel/page.ts'
import type { ProblemCode } from '../../kernel/problem-codes.ts'
import { createNotFoundProblem, createProblem, type ProblemError } from '../../kernel/problem.ts'
import { uuidPattern } from '../../kernel/text/uuid.ts'
import type { ValidatedRequest } from './run-handler.ts'

/** A key that was made for one application. */
type ScopedKey = KeyCaller & { application: string }

const isScoped = (caller: Caller): caller is ScopedKey => caller.kind === 'key' && caller.application !== null

/**
 * Refuses a key that was made for one application where an operation does not stay within one.
 * @throws AUTH_INSUFFICIENT_PERMISSIONS
 */
export function assertScope(caller: Caller, { access, scope }: OperationDeclaration): void {
  if (isScoped(caller) && !scope && access.rule !== 'public')
    throw createProblem(
      'AUTH_INSUFFICIENT_PERMISSIONS',
      'This key was made for one application, and this operation is not about one.',
    )
}

/** The parts of a request that name things, and by which it is kept within an application. */
type ScopedRequest = Pick<ValidatedRequest, 'operation' | 'caller' | 'params' | 'query' | 'page' | 'body' | 'db'>

/**
 * Keeps a request within the application of its key, if the key was made for one: lists are filtered, and all that the
 * request names has to belong to the application. An operation that everybody may call answers such a key like a caller
 * without permissions, wherever it is not about the application.
 * @throws NOT_FOUND, or the code of the operation for it, if something that is named does not belong to the application
 */
export async function keepWithinApplication<R extends ScopedRequest>(request: R): Promise<R> {
  const { caller } = request
  if (!isScoped(caller)) return request
  const { access, scope } = request.operation.declaration
  const isWithin = scope !== undefined && (await namesOnlyOwn(request, scope, caller))
  if (access.rule === 'public') return isWithin ? request : { ...request, caller: { ...caller, permissions: {} } }
  if (!isWithin) throw createMissingProblem(scope?.missingCode)
  return narrowRequest(request, scope, caller)
}

const createMissingProblem = (code: ProblemCode | undefined): ProblemError =>
  code === undefined ? createNotFoundProblem() : createProblem(code, 'There is no such thing, or you cannot see it.')

async function namesOnlyOwn(
  { params, query, body, db }: ScopedRequest,
  scope: ApplicationScope,
  place: ScopedKey,
): Promise<boolean> {
  const chosen = scope.query === undefined ? undefined : query[scope.query]
  if (typeof chosen === 'string' && chosen.toLowerCase() !== place.application) return false
  for (const { entity, id } of [...listNamed(scope.params, params), ...listNamed(scope.body, body)])
    if (!(await entity.isWithin(db, place, id))) return false
  return true
}

function listNamed(
  entities: Readonly<Record<string, ScopedEntity>> | undefined,
  values: unknown,
): { entity: ScopedEntity; id: string }[] {
  return Object.entries(entities ?? {}).flatMap(([path, entity]) => {
    const id = readMember(values, path)
    // What is no id names nothing, which the operation says in its own words. Every id that a schema takes is one here.
    return typeof id === 'string' && uuidPattern.test(id) ? [{ entity, id }] : []
  })
}

const readMember = (values: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (isObject(value) ? value[name] : undefined), values)

/** Chooses the application in the list, the query or the body of a request, where it does not name one. */
function narrowRequest<R extends ScopedRequest>(request: R, scope: ApplicationScope, { application }: ScopedKey): R {
  const { list, query } = scope
  const { page, body } = request
  const isBodyOpen =
    scope.body !== undefined && isObject(body) && !('application' in body) && listNamed(scope.body, body).length === 0
  return {
    ...request,
    ...(isBodyOpen && { body: { ...body, application } }),
    ...(query !== undefined && { query: { ...request.query, [query]: application } }),
    ...(list !== undefined && { page: { ...page, filters: addCondition(page.filters, list, application) } }),
  }
}

const addCondition = (filters: FilterGroup, field: string, value: string): FilterGroup => {
  const condition = { field, operator: 'eq', value, path: scopePath } as const
  return filters.operator === 'and' && filters.value.length === 0
    ? { operator: 'and', value: [condition] }
    : { operator: 'and', value: [condition, filters] }
}
