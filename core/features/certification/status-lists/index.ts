export { type StatusListPosition, type StatusPurpose, updateStatusBits } from './status-lists.change.ts'
export { findStatusList, type ListedStatusList, listStatusLists } from './status-lists.reads.ts'
export { allocateStatusPositions, getStatusListAddress } from './status-lists.ts'
