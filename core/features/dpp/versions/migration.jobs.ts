import { faultPoint } from '../../../kernel/fault.ts'
import { job } from '../../../kernel/job.ts'
import { firstPlace, migratePortion, type MigrationPayload, type Place } from './migration.ts'

/** Passports judged in one transaction. */
const portion = 500

interface MigrationState { place: Place; migrated: number; changed: number; recertified: number; failed: number }

/**
 * Judges passports of a sheet by its definitions in force, portion by portion. A portion is done as a whole or not at all,
 * so a run may die anywhere. The result is `{migrated, changed, recertified, failed}`: those that took the version, those
 * of them whose values changed with it and whose certificates are made anew, and those that keep their version.
 */
export const migrationJob = job<MigrationPayload>({
  type: 'migrate',
  permission: 'dpp:read',
  attempts: 20,
  async run({ id, total, state, payload: { sheet } }, { context, step }) {
    let done: MigrationState = {
      place: (state['place'] as Place | undefined) ?? firstPlace,
      migrated: Number(state['migrated'] ?? 0), changed: Number(state['changed'] ?? 0),
      recertified: Number(state['recertified'] ?? 0), failed: Number(state['failed'] ?? 0),
    }
    for (;;) {
      const next = await step(async (trx, move) => {
        const { last, errors, ...part } = await migratePortion(trx, context, sheet, done.place, portion)
        if (last === null) return null
        const after: MigrationState = {
          place: last, migrated: done.migrated + part.migrated, changed: done.changed + part.changed,
          recertified: done.recertified + part.recertified, failed: done.failed + errors.length,
        }
        move({ completed: part.migrated, failed: errors.length, errors, state: { ...after } })
        faultPoint('migrate.storing', { job: id, step: 'migrate' })
        return after
      })
      if (next === null) break
      done = next
      faultPoint('migrate.stored', { job: id, step: 'migrate' })
    }
    const { migrated, changed, recertified, failed } = done
    if (total > 0 && migrated === 0 && failed > 0) {
      return { status: 'failed', code: 'MIGRATE_FAILED', message: 'Not one passport meets the new definitions.' }
    }
    return { status: 'completed', result: { migrated, changed, recertified, failed } }
  },
})
