import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { anchorSegments, removeOldAnchors, settleAnchors } from './trail.anchors.ts'
import { endSegments, eraseTrail, removeOldSegments } from './trail.upkeep.ts'

/** The audit trails of organizations, kept for 400 days, and the decisions of operators, kept for ever. */
export const audit = area({
  name: 'audit',
  retentions: () => ({
    audit_entries: retentionReasons.evidence,
    audit_chains: 'Where the trail of an organization goes on.',
    audit_segments: 'Segments go whole, 400 days after their end.',
    audit_anchors: 'Go with the last segment below them.',
    audit_segment_anchors: 'Go with their segments.',
    audit_trail: 'Segments go whole, 400 days after their end.',
  }),
  organizationErasures: [eraseTrail],
  cleaning: [
    {
      name: 'old segments of the audit trail',
      run: async ({ db }) => {
        await endSegments(db)
        await removeOldSegments(db)
        await removeOldAnchors(db)
      },
    },
    {
      name: 'anchors of the audit trail',
      run: async (context) => {
        await anchorSegments(context)
        await settleAnchors(context)
      },
    },
  ],
})
