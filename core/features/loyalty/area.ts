import { actions } from '../../kernel/permission.ts'
import { retentionReasons } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { accountOperations } from './accounts/index.ts'
import {
  assignmentOperations,
  countPending,
  eraseAssignments,
  eraseWelcomes,
  forgetConsumed,
  greetAccount,
} from './assignments/index.ts'
import { assignmentSink } from './bulk/index.ts'
import {
  campaignJob,
  campaignOperations,
  countCampaigns,
  eraseCampaigns,
  noteFetch,
  recoverCampaigns,
  repairSlices,
  sweepCampaigns,
} from './campaigns/index.ts'
import { createCardOperations, eraseCards, forgetCards, resetFutureUpdates, startCardUpdates } from './cards/index.ts'
import { orderOperations } from './orders/index.ts'
import { pointsJob, pointsOperations, settlePoints, startPointSweeps } from './points/index.ts'
import { countPointsOfSale, pointOfSaleOperations } from './points-of-sale/index.ts'
import {
  burnOperations,
  countRestaurants,
  countWaitingOrders,
  earnJob,
  eraseCustomers,
  eraseIntegration,
  forgetOldContacts,
  forgetOrders,
  settingsOperations,
  startPosSweeps,
  webhookOperations,
} from './pos/index.ts'
import { loyaltyProblemCodes } from './problem-codes.ts'
import { blockApplication, countTiers, tierOperations } from './tiers/index.ts'
import { rankDueAccounts, rankJob, rankNewAccount, reviewWindow } from './visits/index.ts'

/** What organizations do for the people of their applications: accounts, points, tiers. */
export const loyalty = area({
  name: 'loyalty',
  permissions: {
    loyalty: { owner: actions, admin: actions, editor: ['read', 'create', 'update'], viewer: ['read'] },
  },
  operations: [
    ...accountOperations,
    ...assignmentOperations,
    ...pointsOperations,
    ...orderOperations,
    ...tierOperations,
    ...pointOfSaleOperations,
    ...settingsOperations,
    ...webhookOperations,
    ...burnOperations,
    ...createCardOperations(noteFetch),
    ...campaignOperations,
  ],
  tags: {
    Accounts: 'The people of an application, each with a wallet, points and passports.',
    Points: 'What accounts earn and spend, in a ledger.',
    'Points of sale': 'Where customers pay, and the POS of restaurants.',
    Campaigns: 'Messages to the cards of customers, and what came of them.',
    Cards: 'The cards of accounts in the wallets of phones.',
    'Reward tiers': 'The levels of a programme, which visits lead to.',
  },
  toolset: {
    name: 'loyalty',
    topics: 'accounts, points, campaigns',
    paths: ['/v\\d+/(loyalty|accounts|account-assignments|points-of-sale)(/|$)'],
  },
  jobs: [pointsJob, rankJob, earnJob, campaignJob],
  services: [startPointSweeps, startPosSweeps, startCardUpdates],
  cleaning: [{ name: 'contacts of orders that wait', run: forgetOldContacts }],
  upkeep: [
    { name: 'visits that leave the window', run: rankDueAccounts },
    { name: 'campaigns whose job is lost', run: recoverCampaigns },
    { name: 'campaigns whose window is over', run: sweepCampaigns },
  ],
  clockRepairs: [
    { name: 'slices of campaigns that wait', run: repairSlices },
    { name: 'updates of cards that wait', run: ({ db }) => resetFutureUpdates(db) },
  ],
  recordSinks: [assignmentSink],
  applicationBlockers: [blockApplication],
  applicationChanges: [reviewWindow],
  // The lock of a customer comes before those of balances.
  accountArrivals: [countWaitingOrders, greetAccount, rankNewAccount],
  accountDepartures: [forgetConsumed, forgetOrders, forgetCards],
  // The orders of an integration are found by it.
  organizationErasures: [eraseAssignments, eraseWelcomes, eraseCustomers, eraseIntegration, eraseCampaigns, eraseCards],
  applicationParts: async (trx, application) => [
    { noun: 'account assignment', count: await countPending(trx, application) },
    { noun: 'reward tier', count: await countTiers(trx, application) },
    { noun: 'point of sale', count: await countPointsOfSale(trx, application) },
    { noun: 'campaign', count: await countCampaigns(trx, application) },
    { noun: 'bound restaurant', count: await countRestaurants(trx, application) },
  ],
  pointOutcomes: { kinds: ['postPoints'], createHandler: settlePoints },
  problemCodes: loyaltyProblemCodes,
  retentions: () => ({
    loyalty_tiers: retentionReasons.organization,
    loyalty_tier_changes: 'The history of an account; nothing personal stands in it.',
    loyalty_tier_reviews: 'Go when their job begins.',
    account_assignments: 'Pending ones stay until they are taken or deleted, consumed ones go with their account.',
    loyalty_welcomes: 'Keyed hashes, which name nobody: who had a bonus gets no other one.',
    points_of_sale: retentionReasons.organization,
    pos_integrations: retentionReasons.organization,
    pos_restaurants: retentionReasons.organization,
    pos_orders:
      'An order counts once for ever; the contacts of its customer go when it has counted, or after two years.',
    loyalty_orders: retentionReasons.ledger,
    loyalty_gatherings: 'Go when their job begins.',
    wallet_credentials: retentionReasons.organization,
    loyalty_members: retentionReasons.person,
    loyalty_cards: retentionReasons.person,
    card_registrations: 'Until the phone has the card no more.',
    card_messages: 'What is on cards, with the campaign.',
    campaigns: retentionReasons.organization,
    campaign_deliveries: 'What became of a campaign; an account stands there by its id alone.',
    campaign_holdouts: 'Stay with the campaign.',
    campaign_slices: 'Go when they are delivered.',
    wallet_paces: 'One row a wallet and issuer.',
    // One that has expired is refused, so it is neither late nor repeated.
    card_callbacks: { days: 30, rows: 'r.expires_at < :before' },
    card_updates: 'Go when the phone was told.',
  }),
})

declare module '../../kernel/words.ts' {
  interface JobTypes {
    points: true
    rank: true
    earn: true
    campaign: true
  }
  interface RecordEntities {
    AccountAssignment: true
  }
  interface Resources {
    loyalty: true
  }
}
