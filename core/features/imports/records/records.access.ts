import { createPermissionProblem, getCallerPermissions, type Caller } from '../../../kernel/caller.ts'
import { hasPermission, type Action } from '../../../kernel/permission.ts'
import type { RecordSink } from '../../../kernel/ports/record-sink.ts'
import { listRecordSinks } from '../../../kernel/ports/record-sinks.ts'
import { createProblem } from '../../../kernel/problem.ts'
import type { RecordEntity } from '../../../kernel/words.ts'

const may = (caller: Caller, { resource }: RecordSink, action: Action): boolean =>
  hasPermission(getCallerPermissions(caller), `${resource}:${action}`)

/** Authorizes an action on the records of a sink. @throws AUTH_INSUFFICIENT_PERMISSIONS */
export function authorizeRecords(caller: Caller, sink: RecordSink, action: Action): void {
  if (!may(caller, sink, action)) throw createPermissionProblem(caller, `${sink.resource}:${action}`)
}

/** @throws AUTH_INSUFFICIENT_PERMISSIONS if the caller may not change records that are there already */
export function authorizeUpdate(caller: Caller, sink: RecordSink): void {
  if (may(caller, sink, 'update')) return
  const { noun, resource } = sink
  throw createProblem(
    'AUTH_INSUFFICIENT_PERMISSIONS',
    `Updating ${noun}s that are there already needs the permission to update ${resource}.`,
    { extra: { permission: { resource, action: 'update' } } },
  )
}

/** Lists the entities whose imports and mappers a caller may read. */
export const listReadableEntities = (caller: Caller): RecordEntity[] =>
  listRecordSinks()
    .filter((sink) => may(caller, sink, 'read'))
    .map(({ entity }) => entity)
