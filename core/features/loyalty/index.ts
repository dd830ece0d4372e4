export {
  type Account,
  deleteAccount,
  eraseKey,
  listAccounts,
  listPersonAccounts,
  readAccount,
  readAllAccounts,
  updateAccount,
} from './accounts/index.ts'
export { pointsText } from './amounts/index.ts'
export { listOrders, type LoyaltyOrder } from './orders/index.ts'
export { readPointDates } from './statements/index.ts'
export type { LotDates } from '../../ledger/index.ts'
export {
  createTier,
  deleteTier,
  listTierChanges,
  listTierChoices,
  type NewRewardTier,
  readShownTier,
  readTierOverview,
  type RewardTier,
  type TierChange,
  type TierOverview,
  updateTier,
} from './tiers/index.ts'
export { findNextTier, type NextTier } from './visits/index.ts'
export {
  burnPoints,
  changePointsTogether,
  grantPoints,
  readStatement,
  reversePoints,
  verifyPoints,
  type PointsGrant,
  type PointsReversal,
  type PointsTarget,
  type Statement,
  type StatementEntry,
} from './points/index.ts'
export { createOperationId, orderKinds, pointsBookName, postPoints, type NewPosting } from './posting/index.ts'
export {
  type Assignment,
  changeAssignment,
  createAssignment,
  listAssignments,
  type NewAssignment,
  readAllAssignments,
  readOwnAssignment,
  removeAssignment,
} from './assignments/index.ts'
export { readEarningRule, recordVisit, type Visit, visitsBookName } from './visits/index.ts'
export {
  changePointOfSale,
  createPointOfSale,
  listPointsOfSale,
  type PointOfSale,
  readPointOfSale,
  removePointOfSale,
} from './points-of-sale/index.ts'
export {
  changeSettings as changePosSettings,
  checkSettings as checkPosSettings,
  type PosSettings,
  readSettings as readPosSettings,
  sealedPosSecrets,
} from './pos/index.ts'
export {
  cardErasureSql,
  certificateNoticeDays,
  createOwnSaveLink,
  listEndingCertificates,
  listOwnOpenWallets,
  listOwnWallets,
  makeOwnPass,
  type OwnWallet,
  NewWalletCredentials,
  readShownCredentials,
  removeCredentials,
  sealedWalletSecrets,
  setCredentials,
  setOwnOptIn,
  type WalletCredentials,
} from './cards/index.ts'
export {
  type AudiencePreview,
  type Campaign,
  type CampaignDay,
  campaignStates,
  type CampaignDetails,
  type CampaignStats,
  changeCampaign,
  createCampaign,
  exportDeliveries,
  listCampaigns,
  messageLengths,
  NewCampaign,
  planCampaign,
  presentDetails,
  previewAudience,
  previewSending,
  readCampaignDays,
  readOwnCampaign,
  readStatistics,
  removeCampaign,
  resumeCampaign,
  sendCampaign,
  type Targeting,
  unscheduleCampaign,
} from './campaigns/index.ts'
