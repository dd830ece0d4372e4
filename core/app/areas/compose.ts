import type { Knex } from 'knex'
import type { OutcomeHandlers } from '../../chains/port.ts'
import type {
  AccountLife,
  AccountListener,
  ApplicationBlocker,
  ApplicationListener,
  ApplicationPartsReader,
  Area,
  OrganizationErasure,
  OutcomeTaker,
  Toolset,
  UnitsReader,
  WorkerService,
} from '../../features/area.ts'
import type { JobDeclaration } from '../../kernel/job.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { RecordSink } from '../../kernel/ports/record-sink.ts'
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
  /** Creates the schemas of the document that no operation refers to. */
  createDocumentSchemas(): object[]
  readonly toolsets: readonly Toolset[]
  readonly applicationBlockers: readonly ApplicationBlocker[]
  readonly applicationParts: readonly ApplicationPartsReader[]
  readonly applicationChanges: readonly ApplicationListener[]
  /** Runs the listeners of all areas, in the order of the areas. */
  readonly accountLife: AccountLife
  /** What the areas erase of a deleted organization, the last area first. */
  readonly organizationErasures: readonly OrganizationErasure[]
  /** What imports write to, each with an entity of its own. */
  readonly recordSinks: readonly RecordSink[]
  readonly cleaning: readonly UpkeepTask[]
  readonly upkeep: readonly UpkeepTask[]
  readonly clockRepairs: readonly UpkeepTask[]
  /** The retention of each table of an area, in the order in which rows are deleted. */
  listRetentions(days: RetentionDays): [table: string, TableRetention][]
  startServices(context: Context): WorkerService[]
  /** What reads from the rows of each area how many units of meters were used. */
  readonly unitsReaders: readonly UnitsReader[]
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
    applicationParts: areas.flatMap(({ applicationParts }) => applicationParts ?? []),
    applicationChanges: areas.flatMap(({ applicationChanges = [] }) => applicationChanges),
    keyUses: areas.flatMap(({ keyUse }) => keyUse ?? []),
  }
  const tags = areas.flatMap((one) => Object.entries(one.tags ?? {}))
  assertUnique(
    'tag',
    tags.map(([tag]) => tag),
  )
  const toolsets = composeToolsets(areas.flatMap(({ toolset }) => toolset ?? []))
  const tokenTakers = areas.flatMap(({ tokenOutcomes }) => tokenOutcomes ?? [])
  const recordTakers = areas.flatMap(({ recordOutcomes }) => recordOutcomes ?? [])
  const pointTakers = areas.flatMap(({ pointOutcomes }) => pointOutcomes ?? [])
  assertUnique(
    'outcome',
    [...tokenTakers, ...recordTakers, ...pointTakers].flatMap(({ kinds }) => kinds),
  )
  const recordSinks = areas.flatMap((one) => one.recordSinks ?? [])
  assertUnique(
    'entity',
    recordSinks.map(({ entity }) => entity),
  )
  return {
    ...shared,
    recordSinks,
    words: collectWords(areas),
    tags: Object.fromEntries(tags),
    createDocumentSchemas: () => areas.flatMap(({ documentSchemas }) => documentSchemas?.() ?? []),
    toolsets,
    operations: areas.flatMap(({ operations = [] }) =>
      typeof operations === 'function' ? operations(shared) : operations,
    ),
    accountLife: {
      begin: combineListeners(areas.flatMap(({ accountArrivals = [] }) => accountArrivals)),
      end: combineListeners(areas.flatMap(({ accountDepartures = [] }) => accountDepartures)),
    },
    organizationErasures: areas.toReversed().flatMap(({ organizationErasures = [] }) => organizationErasures),
    cleaning: areas.flatMap(({ cleaning = [] }) => cleaning),
    upkeep: areas.flatMap(({ upkeep = [] }) => upkeep),
    clockRepairs: areas.flatMap(({ clockRepairs = [] }) => clockRepairs),
    listRetentions: (days) => areas.flatMap(({ retentions }) => Object.entries(retentions?.(days) ?? {})),
    unitsReaders: areas.flatMap(({ usedUnits }) => usedUnits ?? []),
    startServices: (context) => areas.flatMap(({ services = [] }) => services.map((start) => start(context))),
    createOutcomeHandlers: (context) => ({
      tokens: createOutcomeHandler(tokenTakers, context),
      records: createOutcomeHandler(recordTakers, context),
      points: createOutcomeHandler(pointTakers, context),
    }),
  }
}

const combineListeners =
  (listeners: readonly AccountListener[]): AccountListener =>
  async (trx, context, account) => {
    for (const listen of listeners) await listen(trx, context, account)
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
