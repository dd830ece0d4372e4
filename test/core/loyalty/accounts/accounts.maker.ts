import { expect } from 'chai'
import { notePassports, recordFigures, type AccountFigures } from '../../../../core/features/accounts/index.ts'
import { createApiClient, type Answer } from '../../../support/client.ts'
import { getBody } from '../../dpp/passports/fixtures.ts'
import { createPhone, enablePhones, getOperator, readCodeFor } from '../../identity/people.ts'

/** An account as the API shows it. */
export interface ShownAccount {
  id: string
  application: { id: string; name: string }
  network: string
  address: string
  explorerUrl?: string
  user: Record<string, unknown>
  loyalty: Record<string, unknown>
  dpp: Record<string, unknown>
  createdAt: string
  updatedAt: string
}

/** Returns the id of the account that a sign-in opened or found. */
export function getAccountId(signedIn: Answer): string {
  expect(signedIn.status, signedIn.text).to.equal(200)
  return getBody<{ account: { id: string } }>(signedIn).account.id
}

/** Signs a person in by phone, a new one by default. @returns the account and the number in E.164 form */
export async function signInByPhone(
  tenant: { organization: string; application: string },
  phone = createPhone(),
): Promise<{ account: string; number: string }> {
  await enablePhones(tenant.organization)
  const receiver = { application: tenant.application, type: 'phone-otp', phoneCallingCode: '+39', phone }
  await createApiClient().post('/v1/auth/send-otp', receiver)
  const number = `+39${phone}`
  const signedIn = await createApiClient().post('/v1/auth/verify-otp', { ...receiver, otp: await readCodeFor(number) })
  return { account: getAccountId(signedIn), number }
}

/** Stores figures of accounts as the ledger does. */
export async function storeFigures(...figures: AccountFigures[]): Promise<void> {
  const { db } = await getOperator()
  await db.transaction((trx) => recordFigures(trx, figures))
}

/** Counts passports of an account as a claim does. */
export async function countPassports(account: string, change: number, at: string): Promise<void> {
  const { db } = await getOperator()
  await db.transaction((trx) => notePassports(trx, [{ account, change, at: new Date(at) }]))
}
