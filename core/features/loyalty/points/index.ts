import type { Operation } from '../../../kernel/operation.ts'
import { entryOperations } from './entries.operations.ts'
import { changeOperations } from './points.operations.ts'

export {
  burnPoints,
  grantPoints,
  reversePoints,
  startPointSweeps,
  type PointsGrant,
  type PointsReversal,
  type PointsTarget,
} from '../posting/index.ts'
export { readStatement, type Statement, type StatementEntry } from '../statements/index.ts'
export { pointsJob } from './points.jobs.ts'
export { changePointsTogether } from './points.together.ts'
export { settlePoints } from './points.settle.ts'
export { verifyPoints } from './verify.ts'
export const pointsOperations: Operation[] = [...changeOperations, ...entryOperations]
