import type { Knex } from 'knex'
import type { MeterCode } from '../kernel/words.ts'

/** What a plan allows of one meter. */
export interface MeterRule {
  /** The most units of a month; null for no limit. */
  limit: number | null
  /** Whether nothing more can be taken past the limit. A meter that is not hard counts on. */
  isHard: boolean
}

/** The rules of a plan. A meter that is not named has no limit. */
export type PlanRules = ReadonlyMap<MeterCode, MeterRule>

/** The rules of all plans. Organizations that were put on no plan, or on one that is gone, have the default one. */
export interface PlanTable {
  readonly defaultPlan: string
  readonly plans: ReadonlyMap<string, PlanRules>
  /** The networks that each plan may use; null for all of them. */
  readonly networks: ReadonlyMap<string, readonly string[] | null>
  /** The plans that let applications leave our name out of the end of their pages. */
  readonly withoutFooter: ReadonlySet<string>
}

/** A meter of an organization. */
export interface MeterSubject {
  organization: string
  meter: MeterCode
}

/** Units of a meter in one month, whose first day is the period (`2026-11-01`, UTC). */
export interface MeterPeriod extends MeterSubject {
  period: string
}

/** A block of units that was leased. */
export interface MeterBlock {
  id: number
  period: string
  size: number
}

/** A unit that a statement uses together with its work, by `createHeldBlockSql` and `createUseSql`. */
export interface MeterTicket {
  /** The block that the unit belongs to. */
  readonly block: number
  /** Returns the unit, because the work was not done. */
  giveBack(): void
  /** Drops the block, because the statement found that it cannot be used any more. */
  drop(): void
}

/** Units that work in a transaction takes. */
export interface MeterTaking extends MeterSubject {
  units: number
  /** Takes as many as there are. */
  isPartial?: boolean
  /** Counts the units, whatever the limit says. */
  isForced?: boolean
}

/** Units that were leased for work in a transaction. */
export interface MeterReservation {
  readonly units: number
  /** Records in the transaction that the units are used; a rollback gives them back. */
  use(trx: Knex): Promise<void>
}

/** Takes units of meters. Each process has one. */
export interface Meters {
  readonly table: PlanTable
  /**
   * Takes one unit of the block that this process holds, and leases a block if there is none. No statement is sent in
   * the common case. @throws QUOTA_EXCEEDED
   */
  takeUnit(subject: MeterSubject): Promise<MeterTicket>
  /**
   * Takes units in the transaction of the work; a rollback gives them back. @returns how many
   * @throws QUOTA_EXCEEDED if there are too few, unless it `isPartial` or `isForced`
   */
  take(trx: Knex, taking: MeterTaking): Promise<number>
  /**
   * Takes units in the transaction of the work as `take` does, but of the block that this process holds, if that has
   * enough: for work that often takes a unit. A rollback gives them back.
   * @throws QUOTA_EXCEEDED if there are too few, unless it `isForced`
   */
  takeShared(trx: Knex, taking: Omit<MeterTaking, 'isPartial'>): Promise<void>
  /**
   * Leases units without a statement in the transaction of the work, which has to `use` them before it ends.
   * @returns as `take` does
   */
  reserve(taking: MeterTaking): Promise<MeterReservation>
  /** Takes units for a job until it ends, in the transaction that starts it. @throws QUOTA_EXCEEDED */
  hold(trx: Knex, job: string, taking: MeterSubject & { units: number }): Promise<void>
  /**
   * Takes units for a step of a job: first of what it holds, then as many as there are. @returns how many
   */
  takeHeld(trx: Knex, job: string, taking: MeterTaking): Promise<number>
  /** Throws if units could not be taken now. It takes none. @throws QUOTA_EXCEEDED */
  assertLeft(db: Knex, subject: MeterSubject, units: number): Promise<void>
  close(): Promise<void>
}

/** Returns the plan that counts. @param assigned the one that an organization was put on; null for none */
export const choosePlan = ({ plans, defaultPlan }: PlanTable, assigned: string | null): string =>
  assigned !== null && plans.has(assigned) ? assigned : defaultPlan

/** Finds the rule of the plan that counts. @param assigned as for `choosePlan` */
export const getRule = (table: PlanTable, assigned: string | null, meter: MeterCode): MeterRule =>
  table.plans.get(choosePlan(table, assigned))?.get(meter) ?? { limit: null, isHard: false }
