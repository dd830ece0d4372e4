import type { Knex } from 'knex'
import { createProblem } from '../../../kernel/problem.ts'
import type { Context, Work } from '../../../kernel/work.ts'
import type { CardChannel } from '../../accounts/index.ts'
import { readApplication, type ApplicationShape } from '../../applications/index.ts'
import { readDevelopmentCredentials } from './apple/signing/certificate.development.ts'
import {
  checkAppleCredentials,
  checkGoogleCredentials,
  type AppleNames,
  type AppleSecret,
  type GoogleSecret,
} from './credentials.check.ts'
import type { NewWalletCredentials, WalletCredentials } from './credentials.schema.ts'
import { deleteCredentials, findCredentials, putCredentials, type CredentialsRow } from './credentials.store.ts'
import { openCredentials, sealCredentials } from './secrets.ts'

/** What cards of Apple Wallet are signed with, and pushes are sent with. */
export interface AppleCredentials extends AppleNames, AppleSecret {
  channel: 'apple-wallet'
  /** Tells these from those before or after them. */
  version: string
}

/** What cards of Google Wallet are made with. */
export interface GoogleCredentials extends GoogleSecret {
  channel: 'google-wallet'
  issuerId: string
  /** Tells these from those before or after them. */
  version: string
}

interface CredentialsByChannel {
  'apple-wallet': AppleCredentials
  'google-wallet': GoogleCredentials
}

/** The part of an application that decides about its wallets. */
export type WalletApplication = Pick<ApplicationShape, 'id'> & {
  loyaltySettings: { appleWallet?: AppleNames | undefined; googleWallet?: { issuerId: string } | undefined }
}

const createMissingProblem = (detail: string) => createProblem('WALLET_NOT_CONFIGURED', detail)

/**
 * Reads with what an application issues cards, regardless of the caller. Outside production an application without
 * credentials of Apple Wallet has those of development.
 * @throws WALLET_NOT_CONFIGURED if there are none, or if the certificate has expired
 */
export async function readWalletCredentials<C extends CardChannel>(
  db: Knex,
  context: Pick<Context, 'settings' | 'clock'>,
  application: WalletApplication,
  channel: C,
): Promise<CredentialsByChannel[C]> {
  const row = await findCredentials(db, application.id, channel)
  const read = channel === 'apple-wallet' ? openApple(context, row) : openGoogle(context, row, application)
  return (await read) as CredentialsByChannel[C]
}

async function openApple(
  context: Pick<Context, 'settings' | 'clock'>,
  row: CredentialsRow | undefined,
): Promise<AppleCredentials> {
  if (!row) {
    if (context.settings.production) throw createMissingProblem('The application has no certificate of Apple Wallet.')
    return readDevelopmentCredentials(context.settings.dataDir)
  }
  const { passTypeIdentifier = '', teamIdentifier = '', expiresAt = '' } = row.facts
  if (new Date(expiresAt) <= context.clock.now())
    throw createMissingProblem(`The certificate of Apple Wallet ended on ${expiresAt}.`)
  const secret = JSON.parse(openCredentials(context, row, row.sealed)) as AppleSecret
  return { channel: 'apple-wallet', passTypeIdentifier, teamIdentifier, ...secret, version: row.id }
}

async function openGoogle(
  context: Pick<Context, 'settings'>,
  row: CredentialsRow | undefined,
  { loyaltySettings: { googleWallet } }: WalletApplication,
): Promise<GoogleCredentials> {
  if (!row) throw createMissingProblem('The application has no service account of Google Wallet.')
  if (!googleWallet) throw createMissingProblem('The settings of the application name no issuer of Google Wallet.')
  const secret = JSON.parse(openCredentials(context, row, row.sealed)) as GoogleSecret
  return { channel: 'google-wallet', issuerId: googleWallet.issuerId, ...secret, version: row.id }
}

/** Lists the wallets for which an application gives out cards, in development with Apple Wallet always. */
export async function listOpenWallets(
  db: Knex,
  { settings, clock }: Pick<Context, 'settings' | 'clock'>,
  { id, loyaltySettings }: WalletApplication,
): Promise<CardChannel[]> {
  const [apple, google] = await Promise.all([
    findCredentials(db, id, 'apple-wallet'),
    findCredentials(db, id, 'google-wallet'),
  ])
  const hasApple = apple ? new Date(apple.facts.expiresAt ?? '') > clock.now() : !settings.production
  return [
    ...(hasApple ? (['apple-wallet'] as const) : []),
    ...(google && loyaltySettings.googleWallet ? (['google-wallet'] as const) : []),
  ]
}

export type PassTypeContext = Pick<Context, 'settings'>

/** Finds the pass type of an application's passes, also if its certificate has expired; null if there is none. */
export async function findPassType(
  db: Knex,
  { settings }: PassTypeContext,
  application: string,
): Promise<string | null> {
  const row = await findCredentials(db, application, 'apple-wallet')
  if (row) return row.facts.passTypeIdentifier ?? null
  return settings.production ? null : readDevelopmentCredentials(settings.dataDir).passTypeIdentifier
}

/** Reads what may be shown of the credentials of an application of the caller. @throws NOT_FOUND */
export async function readShownCredentials(
  work: Work,
  application: string,
  channel: CardChannel,
): Promise<WalletCredentials> {
  const { loyaltySettings } = await readApplication(work, application)
  return presentCredentials(channel, await findCredentials(work.trx, application, channel), loyaltySettings)
}

function presentCredentials(
  channel: CardChannel,
  row: CredentialsRow | undefined,
  { googleWallet }: WalletApplication['loyaltySettings'],
): WalletCredentials {
  return {
    channel,
    isConfigured: row !== undefined,
    ...row?.facts,
    ...(channel === 'google-wallet' && googleWallet && { issuerId: googleWallet.issuerId }),
    updatedAt: row?.updatedAt.toISOString() ?? null,
  }
}

/** Sets the credentials of an application of the caller. @throws NOT_FOUND, VALIDATION_FAILED */
export async function setCredentials(
  work: Work,
  id: string,
  channel: CardChannel,
  given: NewWalletCredentials,
): Promise<WalletCredentials> {
  const { trx, context } = work
  const { organization, loyaltySettings } = await readApplication(work, id, { lock: 'forNoKeyUpdate' })
  const { facts, secret } =
    channel === 'apple-wallet'
      ? checkAppleCredentials(given, loyaltySettings.appleWallet, context.clock.now())
      : checkGoogleCredentials(given)
  await putCredentials(trx, { organization, application: id, channel, facts }, (row) =>
    sealCredentials(context, row, JSON.stringify(secret)),
  )
  return readShownCredentials(work, id, channel)
}

/** Deletes the credentials of an application of the caller. @throws NOT_FOUND */
export async function removeCredentials(work: Work, id: string, channel: CardChannel): Promise<WalletCredentials> {
  await readApplication(work, id, { lock: 'forNoKeyUpdate' })
  await deleteCredentials(work.trx, id, channel)
  return readShownCredentials(work, id, channel)
}
