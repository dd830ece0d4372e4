import type { Settings } from '../app/settings.ts'
import { demoPeople, demoTiers, demoWelcomeBonus, programme } from '../commands/demo/people.ts'
import { createApiRequest, type ApiRequest } from './demo.request.ts'
import type { DemoAccess } from './demo.ts'

const timeoutMs = 120_000

/** Where the accounts of the demo application can be looked at. */
export interface ShownAccounts {
  console: string
  /** The page where each of them sees what they have, and the address of one of them. */
  page: string
  person: string
}

/**
 * Makes sure that the demo application has accounts with a history. A start that finds them leaves them as they are, and
 * loads no code for it.
 * @throws Error if the API answers with an error or not at all, or if the accounts cannot be made
 */
export async function prepareDemoAccounts(
  demo: Pick<DemoAccess, 'api' | 'apiKey' | 'application' | 'console'>,
  settings: Settings,
  signal: AbortSignal,
): Promise<ShownAccounts> {
  const request = createApiRequest(demo, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  const [person] = demoPeople
  // The name is stored in the transaction of the whole history.
  const query = new URLSearchParams({
    'filters[application.id][eq]': demo.application,
    'filters[user.name][eq]': person!.name,
    'filters[user.email][eq]': person!.email,
  })
  const { data } = await request<{ data: unknown[] }>('GET', `/v1/accounts?${query}`)
  if (data.length === 0) {
    const { seedDemoAccounts } = await import('../commands/demo/accounts.ts')
    await startProgramme(request, demo.application)
    await seedDemoAccounts(settings, demo.application, signal)
    // Not before, because the customers of the past would get the bonus of today.
    await setWelcomeBonus(request, demo.application)
  }
  const { slug } = await request<ApplicationRow>('GET', `/v1/applications/${demo.application}`)
  return {
    console: `${demo.console}/accounts`,
    page: `${settings.publicUrl}/me?application=${slug}`,
    person: person!.email,
  }
}

interface ApplicationRow {
  slug: string
  features: string[]
  loyaltySettings: { currencyToPointRatio?: number; welcomeBonus?: string }
}

/** Gives an application a programme and tiers. What it has of them stays as it is. */
async function startProgramme(request: ApiRequest, application: string): Promise<void> {
  const path = `/v1/applications/${application}`
  const { features, loyaltySettings } = await request<ApplicationRow>('GET', path)
  if (loyaltySettings.currencyToPointRatio === undefined)
    await request('PATCH', path, { features: [...new Set([...features, 'loyalty'])], loyaltySettings: programme })
  const tiers = '/v1/loyalty/reward-tiers'
  const { total } = await request<{ total: number }>('GET', `${tiers}?filters[application.id][eq]=${application}`)
  if (total === 0) for (const tier of demoTiers) await request('POST', tiers, { application, ...tier })
}

async function setWelcomeBonus(request: ApiRequest, application: string): Promise<void> {
  const path = `/v1/applications/${application}`
  const { loyaltySettings } = await request<ApplicationRow>('GET', path)
  if (loyaltySettings.welcomeBonus === undefined)
    await request('PATCH', path, { loyaltySettings: { welcomeBonus: demoWelcomeBonus } })
}

/** Formats the lines that `npm start` prints when the accounts are there. */
export const formatAccountLines = ({ console, page, person }: ShownAccounts): string =>
  [
    '  Customers with points to look at',
    `  In the console     ${console}`,
    `  As a customer      ${page}, signed in as ${person}`,
    '',
  ].join('\n')
