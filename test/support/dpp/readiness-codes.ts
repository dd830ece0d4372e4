import { rules } from '../../../core/features/dpp/readiness/readiness.table.ts'

/** The codes of all rules that a finding of readiness can name. */
export const readinessCodes: readonly string[] = [...rules.keys()]
