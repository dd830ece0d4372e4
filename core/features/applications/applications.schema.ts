import { networkNames } from '../../chains/networks.ts'
import {
  Type,
  instant,
  list,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../kernel/schema.ts'
import { createListSchema } from '../../kernel/page.ts'
import { DppSettings, LoyaltySettings, LoyaltySettingsPatch, clearableMember, webAddress } from './settings.schema.ts'
import { Theme, ThemeAdjustment, ThemePatch } from './themes/theme.schema.ts'

export const applicationFeatures = ['dpp', 'loyalty', 'invest', 'trust'] as const
export type ApplicationFeature = (typeof applicationFeatures)[number]
export const signInMethods = ['email-otp', 'phone-otp', 'google', 'auth0'] as const
export type SignInMethod = (typeof signInMethods)[number]

const name = nameText('Name for people.')
const slug = string('Name in addresses, unique everywhere.', {
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
})
const websiteUrl = webAddress('Public home page.')
const features = list(oneOf(applicationFeatures, 'One of them.'), 'What it uses.', { uniqueItems: true })
const defaultNetwork = oneOf(networkNames, 'Network where none is named.')

/** Members of an application that everyone may see. */
const publicMembers = {
  id: uuid('Identifier of the application.'),
  name,
  slug,
  domains: list(
    Type.String(),
    "Hosts of the application's own pages. Only proven ones get CORS and lead to its passports.",
  ),
  websiteUrl: nullable(websiteUrl),
  features,
  defaultNetwork,
  theme: Theme,
  signInMethods: list(oneOf(signInMethods, 'A method.'), 'How buyers can sign in: what the organization has enabled.'),
}

const themeAdjustments = list(
  ThemeAdjustment,
  'Colours of the theme that pages show darker or lighter, so that text in them can be read; left out if there are none.',
)
const organization = uuid('Organization that owns the application.')
const createdAt = instant('When the application was created.')
const updatedAt = instant('When it last changed.')

export const Application = object(
  {
    ...publicMembers,
    themeAdjustments: optional(themeAdjustments),
    organization,
    dppSettings: DppSettings,
    loyaltySettings: LoyaltySettings,
    createdAt,
    updatedAt,
  },
  {
    title: 'Application',
    description: 'What an organization shows to its buyers: pages, domains, features and settings.',
  },
)
export type ApplicationShape = Static<typeof Application>

export const ApplicationView = object(
  {
    ...publicMembers,
    themeAdjustments: optional(themeAdjustments),
    organization: optional(organization),
    dppSettings: optional(DppSettings),
    loyaltySettings: optional(LoyaltySettings),
    createdAt: optional(createdAt),
    updatedAt: optional(updatedAt),
  },
  {
    title: 'ApplicationView',
    description: "An application. Its organization's callers with application:read see all members, others only some.",
  },
)
export type ApplicationView = Static<typeof ApplicationView>

export const ApplicationList = createListSchema(Application, 'ApplicationList')

/** An application as other resources refer to it. */
export const ApplicationRef = object(
  { id: publicMembers.id, name: string('Name of the application.') },
  {
    title: 'ApplicationRef',
    description: 'An application by id and name.',
  },
)
export type ApplicationRef = Static<typeof ApplicationRef>

// The pattern allows capital letters and all scripts: domains.hosts.ts converts them to small ASCII letters and decides
// which hosts are allowed.
const host = Type.String({ maxLength: 253, pattern: '^([*][.])?[^\\s/:?#@%*]+$', examples: ['shop.example.com'] })

const writableMembers = {
  domains: optional(list(host, 'Hosts; `*.example.com` covers one label. Each counts once proven.', { maxItems: 100 })),
  websiteUrl: clearableMember(websiteUrl),
  features: optional(features),
  defaultNetwork: optional(defaultNetwork),
  theme: optional(ThemePatch),
  loyaltySettings: optional(LoyaltySettingsPatch),
}

export const NewApplication = object(
  { name, slug: optional(slug), ...writableMembers },
  {
    title: 'NewApplication',
    description: 'What an application is created from. Only the name is required; the slug is made from it.',
  },
)
export type NewApplication = Static<typeof NewApplication>

export const ApplicationPatch = object(
  { name: optional(name), slug: optional(slug), ...writableMembers },
  {
    title: 'ApplicationPatch',
    description: 'A JSON Merge Patch of an application (RFC 7396).',
  },
)
export type ApplicationPatch = Static<typeof ApplicationPatch>
