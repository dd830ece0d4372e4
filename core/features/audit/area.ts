import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'

/** The decisions of operators, kept for ever. */
export const audit = area({ name: 'audit', retentions: () => ({ audit_entries: retentionReasons.evidence }) })
