import { createPlanNetworkCheck } from '../../../meters/index.ts'
import type { Knex } from 'knex'
import type { Network } from '../../../chains/networks.ts'
import type {
  RecordSink,
  RecordWriter,
  SinkState,
  StoreResult,
  WriterOptions,
} from '../../../kernel/ports/record-sink.ts'
import type { Context } from '../../../kernel/work.ts'
import { createNotFoundProblem } from '../../../kernel/problem.ts'
import { findApplication } from '../../applications/index.ts'
import { lockAllContacts, validateWalletNetwork } from '../assignments/index.ts'
import { holdTiers } from '../tiers/index.ts'
import { assignmentDestinations } from './import.destinations.ts'
import { SliceResult } from './import.results.ts'
import { giveRows, type GiftRow } from './import.store.ts'
import { assignmentMembers, validateRows, type AssignmentRow } from './import.validate.ts'

/**
 * Takes the rows of imports as points and tiers of people. `onDuplicate`: `update` adds the points of a row to a pending
 * assignment of the same person, `fail` refuses such a row, and `skip` leaves out also who got an assignment before, so that
 * the same file can be sent again.
 */
export const assignmentSink: RecordSink<AssignmentRow> = {
  entity: 'AccountAssignment',
  noun: 'account assignment',
  resource: 'loyalty',
  destinations: assignmentDestinations,
  // Points are posted in an order of locks that one call keeps, and people who sign in wait for a transaction.
  limits: { slices: 1, atomicRows: 10_000 },
  // Points would be added again with every fetch.
  scheduledPolicy: 'skip',
  members: assignmentMembers,
  containers: [],
  requiredPaths: ['optimisticBalance'],
  findDefaultNetwork: async () => null,
  async validateNetwork(context, organization, network) {
    const [issue] = validateWalletNetwork(context, network as Network)
    return issue ?? (await createPlanNetworkCheck(context.db, context.meters.table, organization))(network)
  },
  validate: validateRows,
  createWriter: (context, options) => new AssignmentWriter(context, options),
  finish: async () => undefined,
}

/** Stores the rows of one import. The number of statements does not depend on the number of rows. */
class AssignmentWriter implements RecordWriter<AssignmentRow> {
  readonly #context: Context
  readonly #options: WriterOptions

  constructor(context: Context, options: WriterOptions) {
    this.#context = context
    this.#options = options
  }

  async store(
    trx: Knex.Transaction,
    rows: readonly AssignmentRow[],
    _state: SinkState,
    onIdle?: () => void,
  ): Promise<{ result: StoreResult; state: SinkState }> {
    const { application, dryRun } = this.#options
    if (!(await findApplication(trx, application))) throw createNotFoundProblem()
    if (!dryRun) await lockAllContacts(trx, application)
    const result = new SliceResult()
    const given = await this.#checkTiers(trx, rows, result)
    for (const [network, own] of Map.groupBy(given, (row) => row.network))
      await giveRows(trx, this.#context, { ...this.#options, network, rows: own, result })
    onIdle?.()
    return { result: result.toStored(), state: {} }
  }

  async flush(): Promise<void> {
    // Every statement was waited for.
  }

  /** Refuses the rows whose tier was deleted since they were validated. @returns the rows to store */
  async #checkTiers(trx: Knex, rows: readonly AssignmentRow[], result: SliceResult): Promise<GiftRow[]> {
    const named = new Set(rows.flatMap(({ content }) => content?.rewardTier ?? []))
    const held = await holdTiers(trx, this.#options.application, [...named])
    const known = new Set(held.map(({ id }) => id))
    return rows.flatMap(({ line, body, content, network, errors }): GiftRow[] => {
      if (!content || !network) {
        result.refuse(line, errors)
        return []
      }
      const { rewardTier } = content
      if (rewardTier === null || known.has(rewardTier)) return [{ line, body, content, network }]
      const message = 'is no tier of the application any more'
      result.refuse(line, [{ path: 'rewardTier', code: 'unknown_tier', message, value: rewardTier }])
      return []
    })
  }
}
