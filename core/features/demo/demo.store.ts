import type { Knex } from 'knex'
import { newId } from '../../database/model.ts'
import type { DemoChoice, DemoPhase } from './demo.plan.ts'
import type { CallOutcome, CallRecord } from './demo.steps.ts'
import type { KeptValues } from './demo.values.ts'

/** A run of a plan, as its row has it. */
export interface DemoRunRow {
  id: string
  organization: string
  run_id: string
  scenario: DemoChoice['scenario']
  application: string | null
  size: number
  network: string
  member: string
  phase: DemoPhase
  status: 'running' | 'done' | 'failed'
  job: string | null
  round: number
  position: number
  waiting_since: Date | null
  kept: KeptValues
  stays: readonly string[]
  fault: string | null
  created_at: Date
  updated_at: Date
}

/** A call of a run, as its row has it. */
export interface DemoCallRow extends Omit<CallRecord, 'outcome'> {
  phase: DemoPhase
  position: number
  part: number
  outcome: CallOutcome
  at: Date
}

/** Returns what was chosen of the demo of a run. */
export const getChoice = ({ scenario, application, size, network, run_id }: DemoRunRow): DemoChoice => ({
  scenario,
  applicationId: application,
  size,
  network,
  runId: run_id,
})

/** Reads a run of the organization; undefined if it has none with this id. */
export const findRun = (db: Knex, organization: string, id: string): Promise<DemoRunRow | undefined> =>
  db('demo_runs').where({ organization, id }).first<DemoRunRow | undefined>()

/** Lists the newest runs of an organization. */
export const listRuns = (db: Knex, organization: string, limit: number): Promise<DemoRunRow[]> =>
  db('demo_runs').where({ organization }).orderBy('created_at', 'desc').limit(limit).select<DemoRunRow[]>('*')

/** Reads the run that goes on in the organization; undefined if none does. */
export const findRunningRun = (db: Knex, organization: string): Promise<DemoRunRow | undefined> =>
  db('demo_runs').where({ organization, status: 'running' }).first<DemoRunRow | undefined>()

/** Counts the runs whose demos may still be there. */
export async function countPresentRuns(db: Knex, organization: string): Promise<number> {
  const [row] = await db('demo_runs')
    .where({ organization })
    .whereNot({ phase: 'remove', status: 'done' })
    .count<{ count: string }[]>('* as count')
  return Number(row?.count ?? 0)
}

/** Inserts a run that begins to prepare its demo. @returns its id; undefined if another run of the organization goes on */
export async function insertRun(
  trx: Knex,
  { organization, member }: { organization: string; member: string },
  { runId, scenario, applicationId, size, network }: DemoChoice,
): Promise<string | undefined> {
  const row = { id: newId(), organization, member, run_id: runId, scenario, application: applicationId, size, network }
  const inserted = await trx('demo_runs')
    .insert({ ...row, phase: 'prepare', status: 'running' })
    .onConflict()
    .ignore()
    .returning<{ id: string }[]>('id')
  return inserted[0]?.id
}

/**
 * Begins a part of a run anew, if it does not go on already. Its calls of this part are forgotten. The constraint
 * `demo_runs_running` refuses it while another run of the organization goes on.
 * @returns whether it begins
 */
export async function restartRun(trx: Knex, id: string, member: string, phase: DemoPhase): Promise<boolean> {
  const change = { member, phase, status: 'running', position: 0, waiting_since: null, fault: null, stays: '[]' }
  const count = await trx('demo_runs')
    .where({ id })
    .whereNot({ status: 'running' })
    .update({ ...change, round: trx.raw('round + 1'), updated_at: trx.fn.now() })
  if (count === 1) await trx('demo_calls').where({ run: id, phase }).delete()
  return count === 1
}

export const setRunJob = (trx: Knex, id: string, job: string): Promise<number> =>
  trx('demo_runs').where({ id }).update({ job })

/** Stores how far a run is, with the records of the step. Storing the same step again changes nothing of it. */
export async function advanceRun(
  trx: Knex,
  { id, phase }: Pick<DemoRunRow, 'id' | 'phase'>,
  at: { position: number; records: readonly CallRecord[] },
  change: Partial<Pick<DemoRunRow, 'position' | 'status' | 'fault' | 'waiting_since' | 'kept' | 'stays'>>,
): Promise<void> {
  const { kept, stays, ...others } = change
  await trx('demo_runs')
    .where({ id })
    .update({
      ...others,
      ...(kept && { kept: JSON.stringify(kept) }),
      ...(stays && { stays: JSON.stringify(stays) }),
      updated_at: trx.fn.now(),
    })
  if (at.records.length === 0) return
  const taken = await trx('demo_calls').where({ run: id, phase, position: at.position }).count<{ count: string }[]>()
  const first = Number(taken[0]?.count ?? 0)
  await trx('demo_calls').insert(
    at.records.map((record, index) => ({ ...record, run: id, phase, position: at.position, part: first + index })),
  )
}

/** Lists the calls of a run in their order. */
export const listCalls = (db: Knex, run: string): Promise<DemoCallRow[]> =>
  db('demo_calls').where({ run }).orderBy(['phase', 'position', 'part']).select<DemoCallRow[]>('*')
