import type { AssignmentModel } from './assignments.model.ts'
import type { Assignment } from './assignments.schema.ts'

/** Returns an assignment as its organization sees it. */
export const presentAssignment = (row: AssignmentModel): Assignment => ({
  id: row.id,
  application: row.application,
  network: row.network,
  ...(row.email !== null && { email: row.email }),
  ...(row.phoneNumber !== null && { phoneNumber: row.phoneNumber }),
  optimisticBalance: row.points,
  ...(row.rewardTier !== null && { rewardTier: row.rewardTier }),
  status: row.status,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
})
