import { hitFaultPoint } from '../../../kernel/process/fault-points.ts'
import { declareJob } from '../../../kernel/job.ts'
import { eachBatch } from '../../../queue/batches/each-batch.ts'
import {
  firstPlace,
  listUnmigratedPassports,
  migratePassports,
  type MigrationPayload,
  type MigratedBatch,
  type MigrationPlace,
  type UnmigratedPassport,
} from './migration.ts'

/** The number of passports that one transaction migrates. */
const batchSize = 500

interface MigrationState {
  place: MigrationPlace
  migrated: number
  changed: number
  recertified: number
  failed: number
}

/**
 * The job that validates the passports of a sheet against its present definitions, batch by batch. The result is `{migrated, changed, recertified, failed}`: `migrated`
 * counts passports that took the present version; `changed` those of them whose values changed; `recertified` those
 * whose certificates are made again; `failed` those that keep their version.
 */
export const migrationJob = declareJob<MigrationPayload>({
  type: 'migrate',
  permission: 'dpp:read',
  retryPermission: 'dpp:update',
  maxAttempts: 20,
  async run({ id, total, state, payload: { sheet } }, run) {
    const { migrated, changed, recertified, failed } = await eachBatch<UnmigratedPassport, MigrationState>(run, {
      job: id,
      step: 'migrate',
      state: parseState(state),
      take: (trx, { place }) => listUnmigratedPassports(trx, sheet, place, batchSize),
      async work(trx, passports, state) {
        const done = await migratePassports(trx, run.context, sheet, passports, state.place.line)
        hitFaultPoint('migrate.storing', { job: id, step: 'migrate' })
        const { migrated, errors } = done
        return {
          state: addBatch(state, passports, done),
          progress: { completed: migrated, failed: errors.length, errors },
        }
      },
      afterCommit: () => hitFaultPoint('migrate.stored', { job: id, step: 'migrate' }),
    })
    if (total > 0 && migrated === 0 && failed > 0) {
      return { status: 'failed', code: 'MIGRATE_FAILED', message: 'Not one passport meets the new definitions.' }
    }
    return { status: 'completed', result: { migrated, changed, recertified, failed } }
  },
})

function parseState(state: Record<string, unknown>): MigrationState {
  return {
    place: (state['place'] as MigrationPlace | undefined) ?? firstPlace,
    migrated: Number(state['migrated'] ?? 0),
    changed: Number(state['changed'] ?? 0),
    recertified: Number(state['recertified'] ?? 0),
    failed: Number(state['failed'] ?? 0),
  }
}

/** Returns the state after a batch, whose last passport is the place where the next one begins. */
function addBatch(
  { place, ...counts }: MigrationState,
  passports: readonly UnmigratedPassport[],
  { migrated, changed, recertified, errors }: MigratedBatch,
): MigrationState {
  return {
    place: { ...place, ...passports.at(-1), line: place.line + passports.length },
    migrated: counts.migrated + migrated,
    changed: counts.changed + changed,
    recertified: counts.recertified + recertified,
    failed: counts.failed + errors.length,
  }
}
