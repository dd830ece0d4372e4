import type { Knex } from 'knex'
import type { OutcomeHandlers } from '../../chains/port.ts'
import type { ApplicationBlocker, Area, OutcomeTaker, Toolset, WorkerService } from '../../features/area.ts'
import type { JobDeclaration } from '../../kernel/job.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Context } from '../../kernel/work.ts'
import type { RetentionDays, TableRetention } from '../../queue/upkeep/retention.ts'
import type { UpkeepTask } from '../../queue/upkeep/upkeep.ts'
import { reservedToolsets } from './published.ts'
import { assertUnique, collectWords, type Words } from './words.ts'

/** The contributions of all areas, each kind in the order of the areas. */
export interface Registry {
  readonly operations: readonly Operation[]
  readonly jobs: readonly JobDeclaration<unknown>[]
  readonly words: Words
  /** Descriptions of the tags of the document. */
  readonly tags: Readonly<Record<string, string>>
  readonly toolsets: readonly Toolset[]
  readonly applicationBlockers: readonly ApplicationBlocker[]
  readonly cleaning: readonly UpkeepTask[]
  readonly upkeep: readonly UpkeepTask[]
  readonly clockRepairs: readonly UpkeepTask[]
  /** The retention of each table of an area, in the order in which rows are deleted. */
  listRetentions(days: RetentionDays): [table: string, TableRetention][]
  startServices(context: Context): WorkerService[]
  /** Creates the handlers that pass each outcome of a chain operation to the area that takes its kind. */
  createOutcomeHandlers(context: Context): OutcomeHandlers
}

/** Composes areas to one registry. @throws Error if two areas have one name, declare the same word or take the same outcomes */
export function composeRegistry(areas: readonly Area[]): Registry {
  assertUnique(
    'area',
    areas.map(({ name }) => name),
  )
  const shared = {
    jobs: areas.flatMap(({ jobs = [] }) => jobs),
    applicationBlockers: areas.flatMap(({ applicationBlockers = [] }) => applicationBlockers),
  }
  const tags = areas.flatMap((one) => Object.entries(one.tags ?? {}))
  assertUnique(
    'tag',
    tags.map(([tag]) => tag),
  )
  const toolsets = composeToolsets(areas.flatMap(({ toolset }) => toolset ?? []))
  const tokenTakers = areas.flatMap(({ tokenOutcomes }) => tokenOutcomes ?? [])
  const recordTakers = areas.flatMap(({ recordOutcomes }) => recordOutcomes ?? [])
  assertUnique(
    'outcome',
    [...tokenTakers, ...recordTakers].flatMap(({ kinds }) => kinds),
  )
  return {
    ...shared,
    words: collectWords(areas),
    tags: Object.fromEntries(tags),
    toolsets,
    operations: areas.flatMap(({ operations = [] }) =>
      typeof operations === 'function' ? operations(shared) : operations,
    ),
    cleaning: areas.flatMap(({ cleaning = [] }) => cleaning),
    upkeep: areas.flatMap(({ upkeep = [] }) => upkeep),
    clockRepairs: areas.flatMap(({ clockRepairs = [] }) => clockRepairs),
    listRetentions: (days) => areas.flatMap(({ retentions }) => Object.entries(retentions?.(days) ?? {})),
    startServices: (context) => areas.flatMap(({ services = [] }) => services.map((start) => start(context))),
    createOutcomeHandlers: (context) => ({
      tokens: createOutcomeHandler(tokenTakers, context),
      records: createOutcomeHandler(recordTakers, context),
    }),
  }
}

/** Sorts the toolsets of the areas by name, with those that are reserved. */
function composeToolsets(own: readonly Toolset[]): Toolset[] {
  const names = own.map(({ name }) => name)
  assertUnique('toolset', names)
  const reserved = reservedToolsets.filter(({ name }) => !names.includes(name))
  return [...own, ...reserved].sort((a, b) => (a.name < b.name ? -1 : 1))
}

type OutcomeHandler<Outcome> = (trx: Knex.Transaction, outcomes: readonly Outcome[]) => Promise<void>

/** Creates the handler that gives each taker the outcomes of its kinds, in the order of the areas. */
function createOutcomeHandler<Kind extends string, Outcome extends { kind: Kind }>(
  takers: readonly OutcomeTaker<Kind, OutcomeHandler<Outcome>>[],
  context: Context,
): OutcomeHandler<Outcome> {
  const handlers = takers.map(({ kinds, createHandler }) => ({ kinds, handle: createHandler(context) }))
  return async (trx, outcomes) => {
    const untaken = outcomes.find(({ kind }) => !handlers.some(({ kinds }) => kinds.includes(kind)))
    if (untaken) throw new Error(`No area takes the outcome of a chain operation of kind ${untaken.kind}`)
    for (const { kinds, handle } of handlers) {
      const taken = outcomes.filter(({ kind }) => kinds.includes(kind))
      if (taken.length > 0) await handle(trx, taken)
    }
  }
}
