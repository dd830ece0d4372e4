export { type StatusListPosition, type StatusPurpose, updateStatusBits } from './status-lists.change.ts'
export { findStatusList } from './status-lists.reads.ts'
export { allocateStatusPositions, getStatusListAddress } from './status-lists.ts'
