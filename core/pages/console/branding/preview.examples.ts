import { networks, type Application } from '../../../features/applications/index.ts'
import { labelProductValues, type LabelledValue, type PassportPage } from '../../../features/dpp/index.ts'
import type { ConsoleLanguage } from '../../../kernel/text/languages.ts'
import type { Belongings } from '../../me/me.views.ts'
import { exampleWords } from './words.ts'

const exampleId = '00000000-0000-4000-8000-000000000000'
const dayMs = 86_400_000

/** An application as previews show it. */
export type ShownApplication = Pick<
  Application,
  'id' | 'slug' | 'name' | 'organization' | 'websiteUrl' | 'theme' | 'defaultNetwork'
>

/** The address of the passport that previews show. There is none. */
export const exampleAddress = `/p/${exampleId}`

const addDays = (today: Date, days: number): Date => new Date(today.getTime() + days * dayMs)

/** Creates a passport that nobody has issued: published, certified and not claimed. */
export function createExamplePassport(
  application: ShownApplication,
  language: ConsoleLanguage,
  today: Date,
): PassportPage {
  const phrases = exampleWords[language]
  const { id, slug, name, organization, websiteUrl, theme, defaultNetwork: network } = application
  const issuedAt = addDays(today, -30).toISOString()
  return {
    passport: {
      id: exampleId,
      tokenId: `0x${'5e'.repeat(32)}`,
      application: { id, name },
      network,
      status: 'published',
      source: 'manual',
      product: exampleId,
      certifiedPaths: [],
      certificateUri: null,
      mintedTo: null,
      token: null,
      certificationStatus: 'certified',
      certifiedAt: issuedAt,
      contentHash: null,
      ipfsCid: null,
      createdAt: issuedAt,
      updatedAt: issuedAt,
    },
    caip2: networks[network].caip2,
    title: phrases.product,
    image: null,
    values: phrases.values.map(([label, value], at) => ({ name: `value${at}`, label, type: 'string', value })),
    pictures: [],
    product: createExampleProduct(language),
    parents: [],
    ownership: [],
    application: { id, slug, name, title: theme.title ?? name, websiteUrl, theme },
    organization,
    claimable: true,
    holder: null,
    isOwn: false,
    gtin: null,
    withdrawals: [],
    organizationName: name,
    proof: { standing: 'verified', checks: [], issuer: null, hosted: false, renewing: false },
    publisher: { organization, name, domain: null, gtin: null },
    unregistered: {},
  }
}

/** Creates a product with enough sections that their order can be seen. What it says of its origin is certified. */
function createExampleProduct(language: ConsoleLanguage): LabelledValue[] {
  const { description, materials, document } = exampleWords[language]
  const product = {
    description,
    materialProvenance: materials.map(([name, massFraction]) => ({ name, massFraction })),
    countryOfProduction: { countryCode: 'PT' },
    relatedDocument: [
      {
        linkURL: 'https://example.com/care.pdf',
        linkName: document,
        linkType: 'gs1:instructions',
        mediaType: 'application/pdf',
      },
    ],
  }
  return labelProductValues(product).map((value) =>
    value.name === 'countryOfProduction' ? { ...value, certified: true } : value,
  )
}

/** Creates what a buyer has who is not there: points, a tier and a passport. */
export function createExampleBelongings(
  { id, name, defaultNetwork: network }: ShownApplication,
  language: ConsoleLanguage,
  today: Date,
): Belongings {
  const phrases = exampleWords[language]
  const times = { createdAt: addDays(today, -90).toISOString(), updatedAt: today.toISOString() }
  const createEntry = (kind: string, points: string, balance: string, daysAgo: number) => ({
    id: exampleId,
    kind,
    points,
    balance,
    occurredAt: addDays(today, -daysAgo),
    recordedAt: addDays(today, -daysAgo),
    reason: null,
    reference: null,
    status: null,
  })
  const entries = [createEntry('order', '250', '1250', 3), createEntry('welcome', '1000', '1000', 90)]
  const rewardTier = {
    id: exampleId,
    application: id,
    name: phrases.tier,
    requiredVisits: 5,
    currencyToPointRatio: 1,
    ...times,
  }
  return {
    contact: phrases.email,
    offers: [],
    isOffered: false,
    wallets: [],
    accounts: [
      {
        account: {
          id: exampleId,
          application: { id, name },
          network,
          address: `0x${'5e'.repeat(20)}`,
          user: {
            id: exampleId,
            name: null,
            email: phrases.email,
            emailVerified: true,
            phoneNumber: null,
            phoneNumberVerified: false,
            birthDate: null,
            preferredLocale: null,
          },
          loyalty: {
            optimisticBalance: '1250',
            settledBalance: '1250',
            pending: '0',
            visits: 7,
            fixedRewardTier: null,
            rewardTier,
            customerId: null,
            optIn: { apple: false, google: false },
          },
          dpp: { isActive: true, passportCount: 1, lastActivityAt: null },
          ...times,
        },
        statement: {
          since: new Date(0),
          opening: '0',
          added: '1250',
          taken: '0',
          closing: '1250',
          pending: '0',
          settled: '1250',
          count: entries.length,
          entries,
        },
        dates: { activating: [], expiring: [{ amount: 200n, at: addDays(today, 20) }] },
        nextTier: { name: phrases.nextTier, missing: 3 },
      },
    ],
    passports: [
      {
        id: exampleId,
        title: phrases.product,
        picture: null,
        status: 'claimed',
        mintedAt: addDays(today, -3).toISOString(),
      },
    ],
    hasMorePassports: false,
  }
}
