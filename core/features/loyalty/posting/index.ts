export { describePointsBook, pointsBookName } from './books.ts'
export { chainStates, type PointsTarget } from './chain.ts'
export { readDuePoints } from './due.ts'
export { closeGathering, gatheringSeconds, type GatheringPlace } from './gathering.ts'
export { burnPoints, createOperationId, grantPoints, type PointsGrant } from './grants.ts'
export { createOrderSource, orderColumns, OrderModel } from './orders.list.ts'
export { orderStates } from './orders.machine.ts'
export {
  countOrders,
  findOrdersByReference,
  listDoneJobs,
  listMovingAccounts,
  moveOrders,
  orderKinds,
  readOrders,
  selectEntryOrdersSql,
  type EarningRule,
  type OrderMove,
  type OrderRow,
} from './orders.store.ts'
export {
  createBalanceProblem,
  createReusedProblem,
  postPoints,
  type NewPosting,
  type PostedPoints,
  type PostingOutcome,
} from './posting.ts'
export { findPlaces, ReferenceTakenError } from './recording.ts'
export { reversePoints, type PointsReversal } from './reversals.ts'
export { startPointSweeps } from './sweep.ts'
