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

/** Finds the rule of a plan. */
export function getRule({ plans, defaultPlan }: PlanTable, plan: string, meter: MeterCode): MeterRule {
  return (plans.get(plan) ?? plans.get(defaultPlan))?.get(meter) ?? { limit: null, isHard: false }
}
