import {
  createListSchema,
  commonFilters,
  commonSorters,
  textFilter,
  type ListDeclaration,
} from '../../../kernel/page.ts'
import { roles } from '../../../kernel/permission.ts'
import {
  instant,
  nameText,
  nullable,
  object,
  oneOf,
  optional,
  string,
  uuid,
  type Static,
} from '../../../kernel/schema.ts'
import { acceptanceList } from '../legal/legal.schema.ts'
import { OrganizationSettings, OrganizationSettingsPatch } from './organizations.settings.ts'

const id = uuid('Identifier of the organization.')
const name = nameText('Its name, for people.')
const slug = string('Its name in addresses, unique everywhere.', {
  pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  examples: ['aster'],
})
const preferredCurrency = oneOf(['EUR', 'USD'], 'Currency of its bills; chosen once.')
const customerType = oneOf(['company', 'individual'], 'What the customer is; chosen when it signed up.')
const timeZone = string('IANA time zone in which its days begin.', {
  minLength: 1,
  maxLength: 64,
  examples: ['Europe/Rome'],
})
const locale = string('Language of its mails and pages (BCP 47).', {
  minLength: 2,
  maxLength: 35,
  examples: ['fr-FR'],
})

export const Organization = object(
  {
    id,
    name,
    slug,
    customerType,
    preferredCurrency: nullable(preferredCurrency),
    timeZone,
    locale,
    settings: OrganizationSettings,
    createdAt: instant('When it was created.'),
    updatedAt: instant('When it last changed.'),
  },
  { title: 'Organization', description: 'A customer of the platform, to whom everything else belongs.' },
)
export type OrganizationShape = Static<typeof Organization>

export const NewOrganization = object(
  {
    name,
    slug: optional(slug),
    customerType,
    preferredCurrency: optional(nullable(preferredCurrency)),
    acceptances: optional(acceptanceList),
  },
  {
    title: 'NewOrganization',
    description: 'An organization to sign up. Without a slug it gets one from its name.',
  },
)
export type NewOrganizationBody = Static<typeof NewOrganization>

export const OrganizationPatch = object(
  {
    name: optional(name),
    slug: optional(slug),
    preferredCurrency: optional(nullable(preferredCurrency)),
    timeZone: optional(timeZone),
    locale: optional(locale),
    settings: optional(OrganizationSettingsPatch),
  },
  {
    title: 'OrganizationPatch',
    description: 'Changes of an organization. What is not named stays; a null currency leaves it as it is.',
  },
)
export type OrganizationPatch = Static<typeof OrganizationPatch>

export const ListedOrganization = object(
  {
    id,
    name,
    slug,
    role: nullable(oneOf(roles, "The member's role there; null for a key.")),
  },
  { title: 'ListedOrganization', description: 'An organization that the caller belongs to.' },
)
export type ListedOrganization = Static<typeof ListedOrganization>

export const OrganizationList = createListSchema(ListedOrganization, 'OrganizationList')

export const organizationList: ListDeclaration = {
  rowSchema: ListedOrganization,
  filters: { ...commonFilters, name: textFilter('eq', 'contains') },
  sorters: [...commonSorters, 'name'],
}
