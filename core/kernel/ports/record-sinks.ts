import { actions, type Action, type Permission } from '../permission.ts'
import { entityNames, setWords, type RecordEntity } from '../words.ts'
import type { RecordSink } from './record-sink.ts'

const installedSinks: readonly RecordSink[] = []

/** The permissions for an action on the records of any sink, once the areas have been composed. */
export const recordPermissions: Readonly<Record<Action, readonly Permission[]>> = {
  read: [],
  create: [],
  update: [],
  delete: [],
}

/** Makes these the sinks that requests can name. The first one is that of requests that name none. */
export function setRecordSinks(sinks: readonly RecordSink[]): void {
  setWords(installedSinks, sinks)
  setWords(
    entityNames,
    sinks.map(({ entity }) => entity),
  )
  for (const action of actions)
    setWords(
      recordPermissions[action],
      sinks.map(({ resource }): Permission => `${resource}:${action}`),
    )
}

/**
 * Returns the sink of an entity, by default the first one.
 * @throws Error if no area has such a sink
 */
export function getRecordSink(entity?: RecordEntity): RecordSink {
  const sink = entity === undefined ? installedSinks[0] : installedSinks.find((one) => one.entity === entity)
  if (!sink) throw new Error(`No area takes records of ${entity ?? 'any kind'}`)
  return sink
}

/** Lists the sinks of all areas, in the order of the areas. */
export const listRecordSinks = (): readonly RecordSink[] => installedSinks
