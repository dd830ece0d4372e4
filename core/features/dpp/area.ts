import { actions } from '../../kernel/permission.ts'
import { retentionReasons, type RetentionDays } from '../../queue/upkeep/retention.ts'
import { area } from '../area.ts'
import { passportSink } from './bulk/index.ts'
import { certifyJob, readKeyUse, settleAnchors } from './certificates/index.ts'
import { claimJob, claimOperations, endClaims, optInOperations, settlePassports } from './claims/index.ts'

import { createUntpDocumentSchema } from './content/index.ts'
import { blockApplication, migrationJob, passportOperations, sheetOperations } from './drafts/index.ts'
import { gtinOperations } from './gs1/index.ts'
import { eraseClaimContacts, rollUpPassportCounts } from './passports/index.ts'
import { eraseCards, erasePictures, startPictureFetches } from './pictures/index.ts'
import { historyOperations, readUsedOperations } from './history/index.ts'
import { passportProblemCodes } from './problem-codes.ts'
import { credentialOperations, forgetScans, verifyOperations } from './public/index.ts'
import {
  archiveJob,
  certifyOperations,
  deleteJob,
  publishJob,
  publishOperations,
  removalOperations,
} from './publishing/index.ts'
import { readinessOperations } from './readiness/index.ts'
import { countSheets } from './sheets/index.ts'
import { eraseReports, forgetReporters, reportOperations } from './reports/index.ts'
import { statusOperations } from './statuses/index.ts'
import { structureJob } from './structure/index.ts'
import { endRequests, eraseRequests, forgetRequesters, requestOperations } from './requests/index.ts'
import { endOffers, eraseOffers, expireOffers, offerOperations, transferJob } from './offers/index.ts'
import { mintJob, mintOperations } from './tokens/index.ts'

/** The days for which pictures that no page shows any more are kept; a page that does fetches them again. */
const unnamedPictureDays = 90

const createRetentions = ({ eventRetentionDays, jobRetentionDays }: RetentionDays) =>
  ({
    // A missing token is answered like an expired one.
    magic_tokens: { days: 0, rows: 'r.expires_at < :before' },
    claims: { days: jobRetentionDays, rows: `r.status = 'failed' and r.updated_at < :before` },
    // As long as the events that say that there is a report.
    passport_reports: { days: eventRetentionDays, rows: 'r.created_at < :before' },
    // A page or a publication that names a picture says so once a day.
    pictures: { days: unnamedPictureDays, rows: 'r.named_at < :before' },
    picture_forms: 'Go with their picture.',
    passport_cards: { days: unnamedPictureDays, rows: 'r.used_at < :before' },
    passport_offers: {
      days: eventRetentionDays,
      rows: `r.status not in ('open', 'accepted') and r.updated_at < :before`,
    },
    claim_requests: { days: eventRetentionDays, rows: 'r.created_at < :before' },
    passport_scans: 'Go after half an hour: forgetScans.',
    passport_counts: 'Rolled up to one row for each value that lists and statistics count by.',
    sheets: retentionReasons.organization,
    passports: retentionReasons.organization,
    sheet_versions: 'What passports were validated against, for as long as there are such passports.',
    passport_transfers: retentionReasons.ledger,
    passport_credentials: retentionReasons.evidence,
    anchors: retentionReasons.evidence,
    gtin_owners: retentionReasons.evidence,
    gtin_contests: retentionReasons.evidence,
  }) as const

/** Product passports from sheet to archive: their data, tokens, certificates, owners and pages. */
export const dpp = area({
  name: 'dpp',
  problemCodes: passportProblemCodes,
  events: { dppPassport: ['create', 'update', 'delete', 'publish', 'claim', 'scan', 'transfer'] },
  permissions: {
    dpp: { owner: actions, admin: actions, editor: ['read', 'create', 'update'], viewer: ['read'] },
  },
  operations: [
    ...sheetOperations,
    ...mintOperations,
    ...passportOperations,
    ...readinessOperations,
    ...historyOperations,
    ...publishOperations,
    ...certifyOperations,
    ...removalOperations,
    ...credentialOperations,
    ...verifyOperations,
    ...statusOperations,
    ...optInOperations,
    ...claimOperations,
    ...offerOperations,
    ...gtinOperations,
    ...reportOperations,
    ...requestOperations,
  ],
  tags: {
    'Product sheets':
      'What all passports of one product share: fields with their types, the network they are minted on, counts.',
    Minting: 'Makes passports of a sheet, many at once, as tokens on its network.',
    Passports: 'Product passports from draft to archive: their data, readiness, QR codes, owners and one-time links.',
    Credentials: 'Verifiable credentials of passports: built, read, verified, suspended, revoked.',
    Certification: 'Signs credentials of many passports, and anchors them on a network.',
    Claims: 'How a buyer becomes the owner of a passport, and passes it on.',
  },
  documentSchemas: () => [createUntpDocumentSchema()],
  toolset: {
    name: 'dpp',
    topics: 'passports, product sheets, minting',
    paths: ['/v\\d+/dpp/'],
  },
  jobs: [mintJob, publishJob, certifyJob, claimJob, transferJob, structureJob, migrationJob, deleteJob, archiveJob],
  cleaning: [
    { name: 'counts of passports', run: ({ db }) => rollUpPassportCounts(db) },
    { name: 'scans', run: ({ db }) => forgetScans(db) },
    { name: 'expired offers of passports', run: ({ db }) => expireOffers(db) },
    { name: 'addresses of reporters', run: ({ db }) => forgetReporters(db) },
    { name: 'addresses of people who asked for passports', run: ({ db }) => forgetRequesters(db) },
  ],
  recordSinks: [passportSink],
  tokenOutcomes: { kinds: ['mintToIssuer', 'mintTo', 'transferTo', 'passOn'], createHandler: settlePassports },
  recordOutcomes: { kinds: ['anchor'], createHandler: settleAnchors },
  applicationBlockers: [blockApplication],
  accountDepartures: [endClaims, endOffers, endRequests],
  services: [startPictureFetches],
  organizationErasures: [eraseReports, eraseRequests, eraseOffers, erasePictures, eraseCards, eraseClaimContacts],
  applicationParts: async (trx, application) => [{ noun: 'product sheet', count: await countSheets(trx, application) }],
  keyUse: readKeyUse,
  usedUnits: readUsedOperations,
  retentions: createRetentions,
})

declare module '../../kernel/words.ts' {
  interface JobTypes {
    mint: true
    claim: true
    transfer: true
    publish: true
    certify: true
    structure: true
    migrate: true
    delete: true
    archive: true
  }
  interface EventSubjects {
    dppPassport: 'create' | 'update' | 'delete' | 'publish' | 'claim' | 'scan' | 'transfer'
  }
  interface RecordEntities {
    DppPassport: true
  }
  interface Resources {
    dpp: true
  }
}
